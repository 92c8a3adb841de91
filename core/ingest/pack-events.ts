import type { Project } from '#core/projects/project'
import type { ArrivalPosition } from './ids.ts'
import type { WrittenEvent } from './item.ts'
import { packWrittenRecord } from './record.ts'

/**
 * The largest record of the stream, in bytes. Kinesis takes 1 MiB with the partition key; this leaves a
 * margin.
 */
const MAX_RECORD_BYTES = 900_000

/** What the service knows of the sender of a request. `isCredentialed`: see EventsRecord. */
export type PackedSender = { country: string | null; isCredentialed: boolean }

/** Packs the events of one request into one record, or into more where one would be too large. */
export function packEvents(
  project: Project,
  sender: PackedSender,
  events: readonly WrittenEvent[],
  { receivedAt, seq }: ArrivalPosition,
): Uint8Array[] {
  const record = packWrittenRecord({
    kind: 'events',
    project_id: project.id,
    account_id: project.account_id,
    received_at: receivedAt,
    bucket: project.bucket,
    seq,
    country: sender.country,
    events: events.map(({ json }) => json),
    ...(sender.isCredentialed && { credentialed: true as const }),
  })
  if (record.length <= MAX_RECORD_BYTES || events.length === 1) return [record]
  const half = Math.ceil(events.length / 2)
  return [
    ...packEvents(project, sender, events.slice(0, half), { receivedAt, seq }),
    ...packEvents(project, sender, events.slice(half), { receivedAt, seq: seq + half }),
  ]
}
