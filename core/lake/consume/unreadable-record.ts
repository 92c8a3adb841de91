import { UnknownKindError } from '#core/ingest/record'
import type { StreamEntry } from '#core/ports'

/**
 * Records that a consumer cannot read leave the stream with their claim, and are kept as lines of an object.
 * Damaged ones go to quarantine/, where an operator looks at them. Ones of a kind that only a newer version
 * knows go to waiting/: during a deployment an older consumer meets them, and no one needs to act.
 */
export type UnreadableRecord = { sequence: string; reason: string; data: string; isOfNewerVersion: boolean }

export function toUnreadableRecord(entry: StreamEntry, error: unknown): UnreadableRecord {
  return {
    sequence: entry.sequence,
    reason: error instanceof Error ? error.message : String(error),
    data: Buffer.from(entry.data).toString('base64'),
    isOfNewerVersion: error instanceof UnknownKindError,
  }
}
