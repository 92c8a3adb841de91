import type { EventsRecord, RecordedEvent } from '#core/ingest/record'

let nextSeq = 1

/**
 * Returns a stream record with one event per name, in bucket 1, that arrived at `now`. `changes` applies to
 * every event. Each record has a new `seq` by default.
 */
export function eventsRecord(
  names: string[],
  now: number,
  changes: Partial<RecordedEvent> = {},
  seq = nextSeq++,
): EventsRecord {
  return {
    kind: 'events',
    project_id: 'proj_1',
    account_id: 'acct_1',
    bucket: 1,
    received_at: now,
    seq,
    country: 'DE',
    events: names.map(event => ({
      event,
      properties: null,
      user_id: null,
      session_id: null,
      timestamp: now,
      event_id: null,
      ...changes,
    })),
  }
}
