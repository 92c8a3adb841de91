/** One event in the form in which it is sent (docs/api/tracker.md). */
export type QueuedEvent = {
  project: string
  token: string | undefined
  event: string
  properties: Record<string, unknown>
  user_id: string
  session_id: string
  /** Unix ms. */
  timestamp: number
}
