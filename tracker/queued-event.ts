/** One event in the form in which it is sent (docs/api/tracker.md). */
export type QueuedEvent = {
  project: string
  token: string | undefined
  event: string
  properties: Record<string, unknown>
  user_id: string
  session_id: string
  /**
   * How long before the request it happened, ms. The service has the time: a clock of a device may be hours
   * or days wrong. Printed events have none.
   */
  age?: number
}
