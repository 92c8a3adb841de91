/** One accepted event. */
export type SentEvent = {
  project_id: string
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  timestamp: number
  country: string | null
  event_id: string | null
  /** Time of arrival, Unix ms. `seq` orders the events that arrive in the same second. */
  received_at: number
  seq: number
  /** The request came with a credential. */
  credentialed?: boolean
}
