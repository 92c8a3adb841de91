import { UnknownKindError, unpackRecord } from '#core/ingest/record'
import type { Claim } from '#core/lake/claim'
import { QUARANTINE, quarantineKey, WAITING, waitingKey } from '#core/lake/keys'
import type { EventStream, Lake, Log, Now, StreamEntry } from '#core/ports'

/**
 * Records that a consumer cannot read leave the stream with their claim, and are kept as lines of an object.
 * Damaged ones go to quarantine/, where an operator looks at them. Ones of a kind that only a newer version
 * knows go to waiting/: during a deployment an older consumer meets them, and no one needs to act.
 */
export type UnreadableRecord = { sequence: string; reason: string; data: string; isOfNewerVersion: boolean }

type Line = Pick<UnreadableRecord, 'sequence' | 'reason' | 'data'>

export function toUnreadableRecord(entry: StreamEntry, error: unknown): UnreadableRecord {
  return {
    sequence: entry.sequence,
    reason: error instanceof Error ? error.message : String(error),
    data: Buffer.from(entry.data).toString('base64'),
    isOfNewerVersion: error instanceof UnknownKindError,
  }
}

/** Writes the unreadable records of a claim. Doing it twice writes the same objects. */
export async function setAside(
  { lake, log }: { lake: Pick<Lake, 'put'>; log: Log },
  shard: string,
  claim: Claim,
  records: readonly UnreadableRecord[],
): Promise<void> {
  const newer = records.filter(({ isOfNewerVersion }) => isOfNewerVersion)
  const damaged = records.filter(({ isOfNewerVersion }) => !isOfNewerVersion)
  if (newer.length > 0) {
    const key = waitingKey(shard, claim)
    await lake.put(key, toLines(newer))
    log('RECORD_WAITING', { shard, records: newer.length, key })
  }
  if (damaged.length > 0) {
    const key = quarantineKey(shard, claim)
    await lake.put(key, toLines(damaged))
    log('RECORD_QUARANTINED', { shard, records: damaged.length, key })
  }
}

/**
 * Appends the records that this version can read to the stream again, and removes them from what is set
 * aside. A crash in between appends them twice, so a record of a new kind must be one that may be processed
 * twice. Returns the number of records.
 */
export async function takeBackSetAside({
  stream,
  lake,
  log,
}: {
  stream: Pick<EventStream, 'append'>
  lake: Pick<Lake, 'list' | 'get' | 'put' | 'delete'>
  log: Log
}): Promise<number> {
  let takenBack = 0
  for (const { key } of [...(await lake.list(WAITING)), ...(await lake.list(QUARANTINE))]) {
    const lines = fromLines((await lake.get(key)) ?? new Uint8Array())
    const readable = lines.filter(isReadable)
    if (readable.length === 0) continue
    await stream.append(readable.map(({ data }) => Buffer.from(data, 'base64')))
    const rest = lines.filter(line => !readable.includes(line))
    if (rest.length > 0) await lake.put(key, toLines(rest))
    else await lake.delete([key])
    takenBack += readable.length
    log('RECORD_TAKEN_BACK', { key, records: readable.length })
  }
  return takenBack
}

const REPLAY_EVERY_MS = 3_600_000

/**
 * Makes a function that takes back at its first call, and then once an hour at most: an older consumer may
 * set records aside later.
 */
export function createTakeBack({
  clock,
  ...services
}: Parameters<typeof takeBackSetAside>[0] & { clock: Now }) {
  let nextAt = 0
  return async function takeBack(): Promise<void> {
    if (clock.now() < nextAt) return
    nextAt = clock.now() + REPLAY_EVERY_MS
    await takeBackSetAside(services)
  }
}

function isReadable({ data }: Line): boolean {
  try {
    unpackRecord(Buffer.from(data, 'base64'))
    return true
  } catch {
    return false
  }
}

function toLines(records: readonly Line[]): Uint8Array {
  return Buffer.from(
    records.map(({ sequence, reason, data }) => `${JSON.stringify({ sequence, reason, data })}\n`).join(''),
  )
}

function fromLines(bytes: Uint8Array): Line[] {
  return Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}
