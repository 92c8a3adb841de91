import { type Answer, type Call, call } from '#dashboard/api'
import type { ViewContext } from '#dashboard/view'

export type SettingsRequests = {
  read: Call<Answer<'GET /projects/{id}'>>
  context: Call<Answer<'GET /project-context'>>
  views: Call<Answer<'GET /projects/{id}/views'>>
  links: Call<Answer<'GET /projects/{id}/share-links'>>
  replays: Call<Answer<'GET /replays/settings'>>
}

export function requests({ project }: ViewContext): SettingsRequests {
  return {
    read: call('GET /projects/{id}', {}, { id: project }),
    context: call('GET /project-context', { project }),
    views: call('GET /projects/{id}/views', {}, { id: project }),
    links: call('GET /projects/{id}/share-links', {}, { id: project }),
    replays: call('GET /replays/settings', { project }),
  }
}
