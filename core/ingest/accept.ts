import type { Project } from '#core/projects/project'
import type { ArrivalOrder } from './ids.ts'
import { type CheckedEvent, checkItem } from './item.ts'
import { packJson } from './record.ts'
import type { TrackRequest } from './track-request.ts'

/** A record of the stream holds at most this many bytes: Kinesis takes 1 MiB with the key, and we keep off its edge. */
const MAX_RECORD_BYTES = 900_000

/**
 * Checks all items of a delivery and packs them into records: one, or more where one would be too big. Nothing is
 * packed when any item is bad.
 */
export function accept(
  delivery: TrackRequest,
  project: Project,
  country: string | null,
  now: number,
  ids: ArrivalOrder,
): Uint8Array[] {
  const events = delivery.items.map((item, i) => checkItem(item, delivery.labelOf(i), now))
  const { receivedAt, seq } = ids.take(now, events.length)
  return packEvents({ project, country, receivedAt }, events, seq)
}

type Head = { project: Project; country: string | null; receivedAt: number }

function packEvents(head: Head, events: readonly CheckedEvent[], seq: number): Uint8Array[] {
  const packed = packJson(recordJson(head, events, seq))
  if (packed.length <= MAX_RECORD_BYTES || events.length === 1) return [packed]
  const half = Math.ceil(events.length / 2)
  return [
    ...packEvents(head, events.slice(0, half), seq),
    ...packEvents(head, events.slice(half), seq + half),
  ]
}

/** The JSON of a StreamRecord of kind `events`, in pieces, as the text of the properties is there already. */
function recordJson({ project, country, receivedAt }: Head, events: readonly CheckedEvent[], seq: number) {
  const head =
    `{"kind":"events","project_id":${JSON.stringify(project.id)},` +
    `"account_id":${JSON.stringify(project.account_id)},"received_at":${receivedAt},` +
    `"bucket":${project.bucket},"seq":${seq},"country":${JSON.stringify(country)},"events":[`
  return `${head}${events.map(eventJson).join(',')}]}`
}

function eventJson(event: CheckedEvent): string {
  return (
    `{"event":${JSON.stringify(event.event)},"properties":${event.propertiesJson},` +
    `"user_id":${JSON.stringify(event.user_id)},"session_id":${JSON.stringify(event.session_id)},` +
    `"timestamp":${event.timestamp},"event_id":${JSON.stringify(event.event_id)}}`
  )
}
