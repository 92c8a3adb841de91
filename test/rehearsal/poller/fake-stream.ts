import { setImmediate } from 'node:timers/promises'
import type { Outcome } from '#rehearsal/poller/deliver'
import { type Poller, startPoller } from '#rehearsal/poller/poller'
import type { MappingSettings } from '#rehearsal/poller/settings'
import type { PolledRecord, ShardInfo, ShardSource, Time } from '#rehearsal/poller/shard'
import { eventually } from '#test/support/eventually'

/** The settings of the deployed consumer, but without a batching window. */
export const SETTINGS: MappingSettings = {
  batchSize: 100,
  windowMs: 0,
  startAt: 'TRIM_HORIZON',
  bisects: true,
  reportsFailures: true,
  retries: Number.POSITIVE_INFINITY,
  maxAgeMs: Number.POSITIVE_INFINITY,
}

export type Invocation = { shard: string; sequences: string[] /** ms */; at: number }

/** Creates a stream in memory. Time passes only while somebody sleeps. */
export function fakeStream() {
  let now = 1_000_000
  const shards: ShardInfo[] = []
  const recordsByShard = new Map<string, PolledRecord[]>()
  const closed = new Set<string>()
  const timers: { at: number; action: () => void }[] = []

  const time: Time = {
    now: () => now,
    async sleep(ms) {
      now += ms
      for (const { at, action } of timers.splice(0)) {
        if (at <= now) action()
        else timers.push({ at, action })
      }
      await setImmediate()
    },
  }

  const source: ShardSource = {
    shards: async () => [...shards],
    open(shard, startPosition) {
      const shardRecords = recordsByShard.get(shard) ?? []
      let next = 0
      if (startPosition === 'LATEST') next = shardRecords.length
      if (typeof startPosition === 'object')
        next = shardRecords.findIndex(({ sequence }) => sequence === startPosition.after) + 1
      return {
        async next() {
          await setImmediate()
          const records = shardRecords.slice(next)
          next = shardRecords.length
          return { records, end: closed.has(shard) }
        },
      }
    },
  }

  return {
    time,
    source,
    addShard(id: string, parents: string[] = []) {
      shards.push({ id, parents })
      recordsByShard.set(id, [])
    },
    close: (shard: string) => closed.add(shard),
    /** Runs an action after this time. */
    after: (ms: number, action: () => void) => timers.push({ at: now + ms, action }),
    /** Adds records with these sequences to the shard. */
    put(shard: string, sequences: readonly number[], bytes = 10) {
      for (const sequence of sequences) {
        const record = {
          sequence: String(sequence),
          partitionKey: 'k',
          data: new Uint8Array(bytes),
          arrivedAt: now,
        }
        recordsByShard.get(shard)?.push(record)
      }
    },
  }
}

export type FakeStream = ReturnType<typeof fakeStream>

export const SUCCESS: Outcome = { kind: 'responded', response: { batchItemFailures: [] } }

/** A response that names these sequences as failed. */
export function partialFailure(...sequences: number[]): Outcome {
  const batchItemFailures = sequences.map(sequence => ({ itemIdentifier: String(sequence) }))
  return { kind: 'responded', response: { batchItemFailures } }
}

/** Starts a poller over the stream. It records the invocations and the discarded records. */
export function startFakePoller(
  stream: FakeStream,
  settings: Partial<MappingSettings>,
  response: (sequences: number[], shard: string) => Outcome = () => SUCCESS,
  startPosition?: Poller['position'],
) {
  const invocations: Invocation[] = []
  const discardedSequences: string[] = []
  const { source, time } = stream
  const poller = startPoller(
    { ...SETTINGS, ...settings },
    {
      source,
      time,
      async invoke(shard, records) {
        const sequences = records.map(({ sequence }) => sequence)
        invocations.push({ shard, sequences, at: time.now() })
        return response(sequences.map(Number), shard)
      },
      onDiscarded: records => discardedSequences.push(...records.map(({ sequence }) => sequence)),
    },
    startPosition,
  )
  /**
   * Waits until the checkpoint of the shard is at the sequence, and stops. Returns the sequences of each
   * invocation.
   */
  async function untilCheckpoint(shard: string, sequence: number): Promise<number[][]> {
    await eventually(() => {
      if (poller.position.checkpoints.get(shard) !== String(sequence))
        throw new Error(`The checkpoint of ${shard} has not reached ${sequence}.`)
    })
    await poller.stop()
    return invocations.map(({ sequences }) => sequences.map(Number))
  }
  return { ...poller, invocations, discardedSequences, untilCheckpoint }
}
