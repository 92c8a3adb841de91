/** Sources of one event that are named. */
export const MAX_SOURCES = 5

/** The path of a page and the property `place` of the element, each null if the events have none. */
export type EventSource = { page: string | null; place: string | null; count: number }

/** What the lake knows of one event name since the analysis. */
export type ReceivedEvent = {
  event: string
  count: number
  /** Time of the newest one, Unix ms. */
  last_seen_at: number | null
  /** Of a planned event: where it comes from most often, MAX_SOURCES at most. */
  from: readonly EventSource[]
  /** How many of the events have the property, by its name. */
  properties: Readonly<Record<string, number>>
  /** Page views that this event follows within two seconds in the same session. */
  after_page_view: number
  /** Events that follow one of the same name and session within a second. */
  repeats: number
  /**
   * Whether a report, an experiment or the project context has named it since it arrived. Null: that is not
   * known.
   */
  is_used: boolean | null
}

/** What has arrived in a project since the analysis; the largest 1,000 event names. */
export type Received = {
  page_views: number
  events: readonly ReceivedEvent[]
}
