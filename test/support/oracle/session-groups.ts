import type { OracleRequest } from './common.ts'
import type { SentEvent } from './sent-event.ts'
import { oracleSessionList } from './sessions.ts'
import { askedOf, oracleSource } from './sources.ts'

export const SESSION_GROUPS = ['channel', 'source', 'referrer_host', 'entry_page', 'exit_page', 'is_bounce']

export type GroupValue = string | number | boolean | null

/** The value of the session of an event, as text; null where it does not start in the range. */
export function sessionText(
  { session_id }: SentEvent,
  field: string,
  groups: ReturnType<typeof sessionGroups>,
): string | null {
  const value = session_id === null ? undefined : groups.get(session_id)?.[field]
  return value === undefined || value === null ? null : String(value)
}

/** The fields by which sessions that start in the range make groups, by the id of the session. */
export function sessionGroups(
  events: readonly SentEvent[],
  request: OracleRequest,
): Map<string, Record<string, GroupValue>> {
  return new Map(
    oracleSessionList(events, request).map(session => [
      session.id,
      {
        ...oracleSource(askedOf(session), { hosts: [], rules: [] }),
        entry_page: session.entryPage,
        exit_page: session.exitPage,
        is_bounce: session.isBounce,
      },
    ]),
  )
}
