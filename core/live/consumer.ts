import { countFitting } from '#core/ingest/fitting-entries'
import { unpackUnparsed } from '#core/ingest/record'
import type { StreamEntry } from '#core/ports'
import type { LiveBuffer } from './buffer.ts'
import type { WrittenLiveRecord } from './chunk.ts'

/**
 * The events of this many records, and of this many unpacked bytes, are in memory at a time. As objects they
 * take ten times that. A part writes a chunk for each bucket, so many small parts would be dear: one single
 * event has about 500 bytes.
 */
export const PART_LIMITS = { records: 10_000, bytes: 4_000_000 }

export type LiveConsumerServices = {
  buffer: LiveBuffer
  /** Called after the records of a batch are in the buffer, by project. */
  onCopied?(shard: string, records: ReadonlyMap<string, readonly WrittenLiveRecord[]>): void
}

/**
 * The live consumer: the second consumer of the stream. It copies the events of a batch into the live buffer.
 * It may be called again for the same entries, in other batches: readers of the buffer count each event once.
 * It drops records that are older than the buffer, because nobody can see them any more.
 */
export function createLiveConsumer({ buffer, onCopied }: LiveConsumerServices) {
  /**
   * Copies the entries of a shard, in ascending order. Returns the number of records with events that the
   * buffer holds. Throws UNAVAILABLE; then send the batch again.
   */
  async function consumeBatch(shard: string, batch: readonly StreamEntry[]): Promise<number> {
    let copied = 0
    for (let rest = batch; rest.length > 0; ) {
      const size = countFitting(rest, PART_LIMITS)
      copied += await copyPart(shard, rest.slice(0, size))
      rest = rest.slice(size)
    }
    return copied
  }

  async function copyPart(shard: string, part: readonly StreamEntry[]): Promise<number> {
    const oldest = buffer.clock.now() - buffer.bufferMs
    const projects = new Map<string, WrittenLiveRecord[]>()
    let copied = 0
    for (const entry of part) {
      const record = readEvents(entry)
      if (record === null || record.received_at < oldest) continue
      const { project_id, received_at, seq, country, eventsJson, credentialed } = record
      const records = projects.get(project_id) ?? []
      const head = { sequence: entry.sequence, first: 0, received_at, seq, country }
      records.push({ ...head, ...(credentialed && { credentialed }), eventsJson, packed: entry.data })
      projects.set(project_id, records)
      copied += 1
    }
    await buffer.write(shard, projects)
    onCopied?.(shard, projects)
    return copied
  }

  return { consumeBatch }
}

export type LiveConsumer = ReturnType<typeof createLiveConsumer>

/**
 * The events of an entry. Null for the count of a bot, and for a record that cannot be read: the lake
 * consumer reports it.
 */
function readEvents({ data }: StreamEntry) {
  try {
    const record = unpackUnparsed(data)
    return record.kind === 'events' ? record : null
  } catch {
    return null
  }
}
