import { type Answer, type Call, call } from '#dashboard/api'
import { ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Entries of a page of the audit log. */
const LENGTH = 30

export type AccountRequests = {
  account: Call<Answer<'GET /account'>>
  usage: Call<Answer<'GET /account/usage'>>
  sessions: Call<Answer<'GET /account/agent-sessions'>>
  /** Says whether there is an API key. */
  projects: Call<Answer<'GET /projects'>>
  audit: Call<Answer<'GET /account/audit'>>
  erasure?: Call<Answer<'GET /erasures/{id}'>>
}

/** The own values: `before` are the pages of the audit log so far, `erasure` is the id of a receipt. */
export function requests({ address }: ViewContext): AccountRequests {
  const erasure = ownValue(address, 'erasure')
  return {
    account: call('GET /account', {}),
    usage: call('GET /account/usage', {}),
    sessions: call('GET /account/agent-sessions', {}),
    projects: call('GET /projects', {}),
    audit: call('GET /account/audit', { limit: LENGTH, before: address.own.before?.at(-1) }),
    ...(erasure && { erasure: call('GET /erasures/{id}', {}, { id: erasure }) }),
  }
}
