import { randomBytes } from 'node:crypto'
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type KinesisClient,
  ListShardsCommand,
  PutRecordsCommand,
  type PutRecordsRequestEntry,
} from '@aws-sdk/client-kinesis'
import { unavailable } from '#core/errors'
import type { EventStream, Log, StreamEntry } from '#core/ports'
import { type Backoff, backOff } from './backoff.ts'
import { mapped, passes } from './fault.ts'

export type KinesisStreamSettings = {
  client: KinesisClient
  /** Whole ARN: IAM policies are checked against it, and the name is its last part. */
  streamArn: string
  log: Log
  /** How long an append may take, retries included; below what the caller waits. */
  appendMs?: number
  /** How long one read may look for entries. */
  readMs?: number
  appendBackoff?: Backoff
  readBackoff?: Backoff
}

const DEFAULTS = {
  appendMs: 5_000,
  readMs: 20_000,
  appendBackoff: { baseMs: 50, maxMs: 1_000 },
  // GetRecords and GetShardIterator: 5 a second a shard.
  readBackoff: { baseMs: 250, maxMs: 2_000 },
} as const

/** A call takes 500 records, and 5 MB on older endpoints and emulators (10 MB now); both below, keys counted. */
const CALL_RECORDS = 500
const CALL_BYTES = 4_500_000
/** GetRecords takes no more than this as its limit. */
const PAGE_RECORDS = 10_000
/** An answer holds up to 10 MB; a read that has this much ends, so that it fits a small function's memory. */
const READ_BYTES = 6_000_000
/** Seconds after which a refused caller may try again: a shard's allowance is counted by the second. */
const RETRY_AFTER = 5

/**
 * The EventStream port on Kinesis. Partition keys are random, so that no project makes a hot shard. Sequences are
 * passed on as the text that they came as.
 */
export function createKinesisStream(settings: KinesisStreamSettings): EventStream {
  const { client, streamArn, log, appendMs, readMs, appendBackoff, readBackoff } = {
    ...DEFAULTS,
    ...settings,
  }
  const stream = { StreamARN: streamArn, StreamName: streamArn.slice(streamArn.lastIndexOf('/') + 1) }

  async function append(records: readonly Uint8Array[]): Promise<void> {
    const deadline = AbortSignal.timeout(appendMs)
    let pending = records.map(toEntry)
    let reasons: string[] = []
    for (let attempt = 0; pending.length > 0; attempt++) {
      try {
        if (attempt > 0) await backOff(appendBackoff, attempt, deadline)
        deadline.throwIfAborted()
      } catch {
        log('STREAM_UNAVAILABLE', { records: pending.length, tries: attempt, reasons })
        throw unavailable('The stream cannot take events now.', RETRY_AFTER)
      }
      const outcomes = await Promise.all(calls(pending).map(call => put(call, deadline)))
      pending = outcomes.flatMap(({ failed }) => failed)
      reasons = [...new Set(outcomes.flatMap(outcome => outcome.reasons))]
    }
  }

  /** One call; what of it has failed, and why. Throws what no retry mends. */
  async function put(
    entries: PutRecordsRequestEntry[],
    abortSignal: AbortSignal,
  ): Promise<{ failed: PutRecordsRequestEntry[]; reasons: string[] }> {
    try {
      const { Records: results = [] } = await client.send(
        new PutRecordsCommand({ ...stream, Records: entries }),
        { abortSignal },
      )
      // Under new keys, so that what a busy shard has refused may find another.
      const failed = entries
        .filter((_, i) => results[i]?.SequenceNumber === undefined)
        .map(({ Data }) => toEntry(Data))
      return { failed, reasons: results.map(({ ErrorCode }) => ErrorCode).filter(code => code !== undefined) }
    } catch (error) {
      if (!passes(error)) throw error
      // Whether they are stored is not known. Under their old keys a copy comes to the same shard, where it is seen
      // (core/lake/consumer.ts).
      return { failed: entries, reasons: [(error as Error).name] }
    }
  }

  async function shards(): Promise<string[]> {
    const found: string[] = []
    for (let next: string | undefined; ; ) {
      const page = await patiently(AbortSignal.timeout(readMs), abortSignal =>
        client.send(
          // The token stands for the stream: Kinesis refuses both together.
          new ListShardsCommand(next === undefined ? stream : { NextToken: next }),
          { abortSignal },
        ),
      )
      found.push(...(page.Shards ?? []).map(({ ShardId }) => ShardId ?? ''))
      if (page.NextToken === undefined) return found
      next = page.NextToken
    }
  }

  /**
   * An empty answer says that there is nothing beyond `after` now. Kinesis gives empty pages in the middle of a shard
   * too, so they are passed over; where the time is over before an entry was found, it is UNAVAILABLE. A shard that a
   * reshard has closed goes when its last record does; it has no entries then.
   */
  async function read(shard: string, after: string | null, limit: number): Promise<StreamEntry[]> {
    try {
      return await readOn(shard, after, limit, AbortSignal.timeout(readMs))
    } catch (error) {
      const isGone =
        (error as Error).name === 'ResourceNotFoundException' && !(await shards()).includes(shard)
      if (isGone) return []
      throw error
    }
  }

  async function readOn(
    shard: string,
    after: string | null,
    limit: number,
    deadline: AbortSignal,
  ): Promise<StreamEntry[]> {
    const found: StreamEntry[] = []
    let bytes = 0
    let last = after
    let iterator = await iteratorAfter(shard, last, deadline)
    while (found.length < limit && bytes < READ_BYTES) {
      const asked = Math.min(PAGE_RECORDS, limit - found.length)
      const page = await patiently(deadline, abortSignal =>
        client.send(new GetRecordsCommand({ StreamARN: streamArn, ShardIterator: iterator, Limit: asked }), {
          abortSignal,
        }),
      ).catch(error => {
        // An iterator lives for five minutes; a throttled read can outlast it.
        if ((error as Error).name === 'ExpiredIteratorException') return null
        if (found.length > 0 && deadline.aborted) return 'late' as const
        throw error
      })
      if (page === 'late') break
      if (page === null) {
        iterator = await iteratorAfter(shard, last, deadline)
        continue
      }
      for (const { SequenceNumber, Data } of page.Records ?? []) {
        const entry = { sequence: SequenceNumber ?? '', data: Data ?? new Uint8Array() }
        found.push(entry)
        bytes += entry.data.length
        last = entry.sequence
      }
      const full = page.Records?.length === asked
      // Without a next iterator a shard that was closed by a reshard is read to its end.
      if (page.NextShardIterator === undefined || (page.MillisBehindLatest === 0 && !full)) break
      iterator = page.NextShardIterator
    }
    return found
  }

  async function iteratorAfter(
    shard: string,
    after: string | null,
    deadline: AbortSignal,
  ): Promise<string | undefined> {
    const at = { ...stream, ShardId: shard }
    const iterator = (position: ConstructorParameters<typeof GetShardIteratorCommand>[0]) =>
      patiently(deadline, abortSignal => client.send(new GetShardIteratorCommand(position), { abortSignal }))
    if (after === null) {
      return (await iterator({ ...at, ShardIteratorType: 'TRIM_HORIZON' })).ShardIterator
    }
    try {
      const afterIt = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: after } as const
      return (await iterator({ ...at, ...afterIt })).ShardIterator
    } catch (error) {
      if ((error as Error).name !== 'InvalidArgumentException') throw error
      // Kinesis takes only its own numbers; who reads from a known one on names the number just below it.
      const next = String(BigInt(after) + 1n).padStart(after.length, '0')
      const atNext = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', StartingSequenceNumber: next } as const
      return (await iterator({ ...at, ...atNext })).ShardIterator
    }
  }

  /** The answer, asked for again while the fault passes and there is time. */
  async function patiently<T>(deadline: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(deadline)
      } catch (error) {
        if (!passes(error)) throw error
        await backOff(readBackoff, attempt, deadline).catch(() => {
          throw mapped(error, 'The stream cannot be read now.', RETRY_AFTER)
        })
      }
    }
  }

  return { append, shards, read }
}

function toEntry(data: Uint8Array | undefined): PutRecordsRequestEntry {
  return { Data: data, PartitionKey: randomBytes(8).toString('hex') }
}

/** The entries in portions that one call takes. */
function calls(entries: readonly PutRecordsRequestEntry[]): PutRecordsRequestEntry[][] {
  const portions: PutRecordsRequestEntry[][] = []
  let portion: PutRecordsRequestEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = (entry.Data?.length ?? 0) + (entry.PartitionKey?.length ?? 0)
    if (portion.length === CALL_RECORDS || (portion.length > 0 && bytes + size > CALL_BYTES)) {
      portions.push(portion)
      portion = []
      bytes = 0
    }
    portion.push(entry)
    bytes += size
  }
  if (portion.length > 0) portions.push(portion)
  return portions
}
