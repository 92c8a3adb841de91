import { type Answer, type Call, call } from '#dashboard/api'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

export type AnalysisRequests = {
  read: Call<Answer<'GET /projects/{id}'>>
  scan?: Call<Answer<'GET /website-scans/{id}'>>
  arrived?: Call<Answer<'POST /website-scans/{id}/verify'>>
}

/** The own values: `scan` is the id of the open analysis; `new` opens the form, and `focus` fills it in. */
export function requests({ address, project }: ViewContext): AnalysisRequests {
  const id = ownValue(address, 'scan')
  return {
    read: call('GET /projects/{id}', {}, { id: project }),
    ...(id !== undefined && {
      scan: call('GET /website-scans/{id}', {}, { id }),
      arrived: call('POST /website-scans/{id}/verify', {}, { id }),
    }),
  }
}

/** The form of another analysis. */
export function withForm(address: Address, focus: string): Address {
  return withOwn(address, { new: ['1'], focus: focus === '' ? [] : [focus] })
}
