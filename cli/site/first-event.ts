import { pollUntil } from '#cli/poll'
import type { Session } from '#cli/run-context'
import { milliseconds } from '#cli/session/sign-in'

export type FirstEvent = { event: string; path: unknown; timestamp: number }

type Project = { id: string; total_events: number; allowed_origins: string }

const POLL_INTERVAL_MS = 2_000

/**
 * Waits for an event that the project did not have before. Null: none came in time. The count of a project
 * changes at once; the event itself may be in the reports later, and is then unknown.
 */
export async function waitForEvent(
  session: Session,
  { id, total_events, allowed_origins }: Project,
  waitMs: number,
): Promise<FirstEvent | 'unknown' | null> {
  const origin = allowed_origins === '*' ? 'the site' : allowed_origins.split(',')[0]
  const pause = milliseconds(session, 'AA_INIT_POLL_INTERVAL_MS', POLL_INTERVAL_MS)
  const deadline = session.io.clock.now() + waitMs
  return session.during(`Open a page of ${origin}: waiting for its first event`, poll, waitMs)

  function poll(): Promise<FirstEvent | 'unknown' | null> {
    return pollUntil(session, ask, pause, deadline)
  }

  async function ask(): Promise<FirstEvent | 'unknown' | null> {
    const { answer } = await session.client({ endpoint: 'GET /projects/{id}', path: { id } })
    return answer.total_events > total_events ? newestEvent(session, id) : null
  }
}

async function newestEvent({ client }: Session, project: string): Promise<FirstEvent | 'unknown'> {
  const { answer } = await client({ endpoint: 'POST /events', body: { project, limit: 1 } })
  const newest = answer.events[0] as
    | { event?: string; timestamp?: number; properties?: { path?: unknown } | null }
    | undefined
  if (newest?.event === undefined || newest.timestamp === undefined) return 'unknown'
  return { event: newest.event, path: newest.properties?.path ?? null, timestamp: newest.timestamp }
}
