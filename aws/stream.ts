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
import { isTransient, toApiError } from '#core/state/transient'
import { type Backoff, backOff } from './backoff.ts'

export type KinesisStreamSettings = {
  client: KinesisClient
  /** The whole ARN, because IAM policies name the stream by it. Its last part is the name of the stream. */
  streamArn: string
  log: Log
  /** How long an append may take with its retries. The caller waits longer. */
  appendMs?: number
  /** How long one read may search for entries. */
  readMs?: number
  appendBackoff?: Backoff
  readBackoff?: Backoff
}

const DEFAULTS = {
  appendMs: 5_000,
  readMs: 20_000,
  appendBackoff: { baseMs: 50, maxMs: 1_000 },
  // A shard takes 5 calls a second of GetRecords and of GetShardIterator.
  readBackoff: { baseMs: 250, maxMs: 2_000 },
} as const

/** One call takes 500 records and 10 MB with the keys. Older endpoints and emulators take 5 MB. */
const CALL_RECORDS = 500
const CALL_BYTES = 4_500_000
/** The largest limit that GetRecords accepts. */
const PAGE_RECORDS = 10_000
/**
 * A read ends when it has this many bytes, so that it fits a small function's memory. One response holds up
 * to 10 MB.
 */
const READ_BYTES = 6_000_000
/** Seconds after which a caller may try again. A shard's limits count by the second. */
const RETRY_AFTER = 5

/**
 * The EventStream port on Kinesis. Partition keys are random, so that no project makes a hot shard. Sequence
 * numbers stay the text that Kinesis sent.
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
        throw unavailable(
          'The event stream is not available now. Send the same events again in a few seconds.',
          RETRY_AFTER,
        )
      }
      const outcomes = await Promise.all(splitIntoCalls(pending).map(call => put(call, deadline)))
      pending = outcomes.flatMap(({ failed }) => failed)
      reasons = [...new Set(outcomes.flatMap(outcome => outcome.reasons))]
    }
  }

  /** Sends one call. Returns the entries that failed, and why. Throws when a retry cannot help. */
  async function put(
    entries: PutRecordsRequestEntry[],
    abortSignal: AbortSignal,
  ): Promise<{ failed: PutRecordsRequestEntry[]; reasons: string[] }> {
    try {
      const { Records: results = [] } = await client.send(
        new PutRecordsCommand({ ...stream, Records: entries }),
        { abortSignal },
      )
      // With a new key a rejected record may go to a shard that is less busy.
      const failed = entries
        .filter((_, i) => results[i]?.SequenceNumber === undefined)
        .map(({ Data }) => toEntry(Data))
      return { failed, reasons: results.map(({ ErrorCode }) => ErrorCode).filter(code => code !== undefined) }
    } catch (error) {
      if (!isTransient(error)) throw error
      // Kinesis may have stored the records. With the same keys a copy reaches the same shard, whose consumer
      // drops it (core/lake/consume/consumer.ts).
      return { failed: entries, reasons: [(error as Error).name] }
    }
  }

  async function shards(): Promise<string[]> {
    const names: string[] = []
    for (let next: string | undefined; ; ) {
      const page = await retry(AbortSignal.timeout(readMs), abortSignal =>
        client.send(
          // The token names the stream too: Kinesis rejects a call with both.
          new ListShardsCommand(next === undefined ? stream : { NextToken: next }),
          { abortSignal },
        ),
      )
      names.push(...(page.Shards ?? []).map(({ ShardId }) => ShardId ?? ''))
      if (page.NextToken === undefined) return names
      next = page.NextToken
    }
  }

  /**
   * Reads a shard. An empty result means that no entry follows `after` now. Kinesis also sends empty pages in
   * the middle of a shard, so the read goes on after them, and is UNAVAILABLE when its time ends before an
   * entry came. A shard that a reshard has closed disappears with its last record. Then it has no entries.
   */
  async function read(shard: string, after: string | null, limit: number): Promise<StreamEntry[]> {
    try {
      return await readPages(shard, after, limit, AbortSignal.timeout(readMs))
    } catch (error) {
      const isGone =
        (error as Error).name === 'ResourceNotFoundException' && !(await shards()).includes(shard)
      if (isGone) return []
      throw error
    }
  }

  async function readPages(
    shard: string,
    after: string | null,
    limit: number,
    deadline: AbortSignal,
  ): Promise<StreamEntry[]> {
    const entries: StreamEntry[] = []
    let bytes = 0
    let last = after
    let iterator = await iteratorAfter(shard, last, deadline)
    while (entries.length < limit && bytes < READ_BYTES) {
      const pageLimit = Math.min(PAGE_RECORDS, limit - entries.length)
      const page = await retry(deadline, abortSignal =>
        client.send(
          new GetRecordsCommand({ StreamARN: streamArn, ShardIterator: iterator, Limit: pageLimit }),
          { abortSignal },
        ),
      ).catch(error => {
        // An iterator lives for five minutes; a throttled read may take longer.
        if ((error as Error).name === 'ExpiredIteratorException') return 'expired' as const
        if (entries.length > 0 && deadline.aborted) return 'late' as const
        throw error
      })
      if (page === 'late') break
      if (page === 'expired') {
        iterator = await iteratorAfter(shard, last, deadline)
        continue
      }
      for (const { SequenceNumber, Data } of page.Records ?? []) {
        const entry = { sequence: SequenceNumber ?? '', data: Data ?? new Uint8Array() }
        entries.push(entry)
        bytes += entry.data.length
        last = entry.sequence
      }
      const isFull = page.Records?.length === pageLimit
      // A shard that a reshard has closed has no next iterator after its last record.
      if (page.NextShardIterator === undefined || (page.MillisBehindLatest === 0 && !isFull)) break
      iterator = page.NextShardIterator
    }
    return entries
  }

  async function iteratorAfter(
    shard: string,
    after: string | null,
    deadline: AbortSignal,
  ): Promise<string | undefined> {
    const at = { ...stream, ShardId: shard }
    const iterator = (position: ConstructorParameters<typeof GetShardIteratorCommand>[0]) =>
      retry(deadline, abortSignal => client.send(new GetShardIteratorCommand(position), { abortSignal }))
    if (after === null) {
      return (await iterator({ ...at, ShardIteratorType: 'TRIM_HORIZON' })).ShardIterator
    }
    try {
      const afterIt = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: after } as const
      return (await iterator({ ...at, ...afterIt })).ShardIterator
    } catch (error) {
      if ((error as Error).name !== 'InvalidArgumentException') throw error
      // Kinesis accepts only sequence numbers that exist. To include a known record, a caller sends that
      // number less 1.
      const next = String(BigInt(after) + 1n).padStart(after.length, '0')
      const atNext = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', StartingSequenceNumber: next } as const
      return (await iterator({ ...at, ...atNext })).ShardIterator
    }
  }

  /** Sends a request again after transient failures, until the deadline. Then throws ApiError UNAVAILABLE. */
  async function retry<T>(deadline: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(deadline)
      } catch (error) {
        if (!isTransient(error)) throw error
        await backOff(readBackoff, attempt, deadline).catch(() => {
          throw toApiError(
            error,
            'The event stream cannot be read now. Try again in a few seconds.',
            RETRY_AFTER,
          )
        })
      }
    }
  }

  return { append, shards, read }
}

function toEntry(data: Uint8Array | undefined): PutRecordsRequestEntry {
  return { Data: data, PartitionKey: randomBytes(8).toString('hex') }
}

/** Splits the entries into portions that one call takes. */
function splitIntoCalls(entries: readonly PutRecordsRequestEntry[]): PutRecordsRequestEntry[][] {
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
