import type { Claim } from '#core/lake/model/claim'
import { QUARANTINE, quarantineKey, WAITING, waitingKey } from '#core/lake/model/keys'
import type { EventStream, Lake, Log, Now } from '#core/ports'
import { canStore } from './unpack-entries.ts'
import type { UnreadableRecord } from './unreadable-record.ts'

type Line = Pick<UnreadableRecord, 'sequence' | 'reason' | 'data'>

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
 * Appends the records that this version can store to the stream again, and removes them from what is set
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
    const readable = lines.filter(({ data }) => canStore(Buffer.from(data, 'base64')))
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
