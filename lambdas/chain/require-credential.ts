import type { Caller } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Exchange } from './chain.ts'

/** Throws FORBIDDEN when the row does not take this kind of credential: keys and billing are for humans. */
export function requireCredential({ route: { credentials }, caller }: Exchange & { caller: Caller }): void {
  if (credentials === undefined || credentials.includes(caller.credential.kind)) return
  throw new ApiError(
    'FORBIDDEN',
    `This credential may not do that. Send one of these: ${credentials.map(kind => NAMES[kind]).join(', ')}.`,
  )
}

const NAMES = {
  api_key: 'an API key',
  agent_session: 'an agent session',
  cookie: 'a signed-in browser',
  demo: 'a demo session',
  share_link: 'a share link',
}
