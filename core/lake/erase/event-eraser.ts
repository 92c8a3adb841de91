import { packTextWithin, padPacked, unpackText } from '#core/ingest/packing'
import {
  EMPTY_EVENT,
  type EventsRecord,
  isEmptyEvent,
  type RecordedEvent,
  type StreamRecord,
} from '#core/ingest/record'
import { bucketOf } from '#core/state/bucket-of'
import type { TombstoneRow } from './tombstone-file.ts'
import { userHash } from './tombstones.ts'

/** The events of a record, and what else decides which of them are erased. */
export type EventsOfRecord = Pick<EventsRecord, 'received_at' | 'events'>

/** The log stores a checksum beside each record as a number of 1 to 8 bytes, which may get longer. */
const CHECKSUM_BYTES = 8

const PROJECT = /"project_id":"([^"]*)"/

export type EventEraser = {
  /** The projects that have erased events. */
  projects: ReadonlySet<string>
  /**
   * Returns the record without its erased events. It is a few bytes shorter, so that its row stays in its
   * page of the log; compressed it may be some bytes longer. Null: it has none, or cannot be read.
   */
  eraseFromRecord(data: Uint8Array): Uint8Array | null
  /** Returns the events without the erased ones, or the same array. */
  eraseEvents(projectId: string, record: EventsOfRecord): RecordedEvent[]
}

/**
 * Removes erased events from records of the log and from chunks of the live buffer. An erased event leaves an
 * empty one, and an erased identify request a record without events. So all other events keep their
 * positions, from which their ids follow, and counts of events stay as they are.
 */
export function createEventEraser(tombstones: readonly TombstoneRow[]): EventEraser {
  /**
   * By project: until when the events of each user are erased, by userHash; those of all users under null.
   */
  const byProject = new Map<string, Map<string | null, number>>()
  for (const { project_id, user_hash, erased_until_ms } of tombstones) {
    const untils = byProject.get(project_id) ?? new Map<string | null, number>()
    untils.set(user_hash, Math.max(erased_until_ms, untils.get(user_hash) ?? 0))
    byProject.set(project_id, untils)
  }
  const projects = new Set(byProject.keys())

  /** Returns a check whether what a user sent at that time is erased. */
  function createCheck(projectId: string, receivedAt: number): (userId: string | null) => boolean {
    const untils = byProject.get(projectId)
    if (untils === undefined) return () => false
    const isErased = (key: string | null) => receivedAt <= (untils.get(key) ?? -1)
    return isErased(null) ? () => true : userId => userId !== null && isErased(userHash(userId))
  }

  function eraseEvents(projectId: string, { received_at, events }: EventsOfRecord): RecordedEvent[] {
    const isErasedUser = createCheck(projectId, received_at)
    const isErased = (event: RecordedEvent) => !isEmptyEvent(event) && isErasedUser(event.user_id)
    return events.some(isErased) ? events.map(event => (isErased(event) ? EMPTY_EVENT : event)) : events
  }

  function erase(record: StreamRecord): StreamRecord {
    const { kind, project_id, account_id, received_at } = record
    if (kind === 'events') {
      const events = eraseEvents(project_id, record)
      return events === record.events ? record : { ...record, events }
    }
    if (kind !== 'identify') return record
    const isErasedUser = createCheck(project_id, received_at)
    if (!isErasedUser(record.previous_id) && !isErasedUser(record.user_id)) return record
    const { seq } = record
    const bucket = bucketOf(project_id)
    return { kind: 'events', project_id, account_id, received_at, bucket, seq, country: null, events: [] }
  }

  function eraseFromRecord(data: Uint8Array): Uint8Array | null {
    try {
      const text = unpackText(data)
      // A record names its project before anything that a sender has written.
      if (!projects.has(PROJECT.exec(text)?.[1] ?? '')) return null
      const record: StreamRecord = JSON.parse(text)
      const rest = erase(record)
      const room = data.length - CHECKSUM_BYTES
      return rest === record ? null : padPacked(packTextWithin(JSON.stringify(rest), room), room)
    } catch {
      // Nobody can say whose record it is.
      return null
    }
  }

  return { projects, eraseFromRecord, eraseEvents }
}
