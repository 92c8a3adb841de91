import { packRecord, type RecordedEvent } from '#core/ingest/record'
import type { LiveBuffer } from '#core/live/buffer'
import { type LiveRecord, toWritten } from '#core/live/chunk'
import type { StreamEntry } from '#core/ports'

/** An event inside a record. */
export function recordedEvent(changes: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    event: 'page_view',
    properties: null,
    user_id: null,
    session_id: null,
    timestamp: 1_000,
    event_id: null,
    ...changes,
  }
}

/** A record of the live buffer with these events. Its sequence is also its `seq`. */
export function liveRecord(
  sequence: number,
  receivedAt: number,
  events: Partial<RecordedEvent>[],
  country: string | null = null,
): LiveRecord {
  return {
    sequence: String(sequence),
    first: 0,
    received_at: receivedAt,
    seq: sequence * 1_000,
    country,
    events: events.map(event => recordedEvent({ timestamp: receivedAt, ...event })),
  }
}

/** The record as an entry of the stream, for a project. */
export function toEntry({ sequence, first, ...record }: LiveRecord, projectId: string): StreamEntry {
  const head = { kind: 'events', project_id: projectId, account_id: 'acct_1', bucket: 1 } as const
  return { sequence, data: packRecord({ ...head, ...record }) }
}

/** Writes records of one project into the live buffer. */
export function writeLive(
  buffer: Pick<LiveBuffer, 'write'>,
  projectId: string,
  shard: string,
  records: readonly LiveRecord[],
): Promise<void> {
  return buffer.write(shard, new Map([[projectId, records.map(toWritten)]]))
}
