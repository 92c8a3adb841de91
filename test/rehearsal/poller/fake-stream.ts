import { setImmediate } from 'node:timers/promises'
import type { Outcome } from '#rehearsal/poller/deliver'
import { type Poller, startPoller } from '#rehearsal/poller/poller'
import type { MappingSettings } from '#rehearsal/poller/settings'
import type { PolledRecord, ShardInfo, ShardSource, Time } from '#rehearsal/poller/shard'
import { eventually } from '#test/support/eventually'

/** What the deployed consumer is given, but for the window: nothing waits unless a test says so. */
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

/** A stream and a function in memory. Time passes only while somebody sleeps. */
export function fakeStream() {
  let now = 1_000_000
  const shards: ShardInfo[] = []
  const held = new Map<string, PolledRecord[]>()
  const closed = new Set<string>()
  const due: { at: number; happen: () => void }[] = []

  const time: Time = {
    now: () => now,
    async sleep(ms) {
      now += ms
      for (const { at, happen } of due.splice(0)) {
        if (at <= now) happen()
        else due.push({ at, happen })
      }
      await setImmediate()
    },
  }

  const source: ShardSource = {
    shards: async () => [...shards],
    open(shard, from) {
      const all = held.get(shard) ?? []
      let next = 0
      if (from === 'LATEST') next = all.length
      if (typeof from === 'object') next = all.findIndex(({ sequence }) => sequence === from.after) + 1
      return {
        async next() {
          await setImmediate()
          const records = all.slice(next)
          next = all.length
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
      held.set(id, [])
    },
    close: (shard: string) => closed.add(shard),
    /** Does something once so much time has passed. */
    after: (ms: number, happen: () => void) => due.push({ at: now + ms, happen }),
    /** Puts records with the sequences into the shard. */
    put(shard: string, sequences: readonly number[], bytes = 10) {
      for (const sequence of sequences) {
        const record = {
          sequence: String(sequence),
          partitionKey: 'k',
          data: new Uint8Array(bytes),
          arrivedAt: now,
        }
        held.get(shard)?.push(record)
      }
    },
  }
}

export type FakeStream = ReturnType<typeof fakeStream>

export const ANSWERED: Outcome = { kind: 'answered', answer: { batchItemFailures: [] } }

/** The numbers as the function names them when they fail. */
export function failing(...sequences: number[]): Outcome {
  const batchItemFailures = sequences.map(sequence => ({ itemIdentifier: String(sequence) }))
  return { kind: 'answered', answer: { batchItemFailures } }
}

/** Starts a poller over the stream that notes what it calls the function with, and what it gives up. */
export function pollFake(
  stream: FakeStream,
  settings: Partial<MappingSettings>,
  answer: (sequences: number[], shard: string) => Outcome = () => ANSWERED,
  from?: Poller['position'],
) {
  const invocations: Invocation[] = []
  const givenUp: string[] = []
  const { source, time } = stream
  const poller = startPoller(
    { ...SETTINGS, ...settings },
    {
      source,
      time,
      async invoke(shard, records) {
        const sequences = records.map(({ sequence }) => sequence)
        invocations.push({ shard, sequences, at: time.now() })
        return answer(sequences.map(Number), shard)
      },
      onGivenUp: records => givenUp.push(...records.map(({ sequence }) => sequence)),
    },
    from,
  )
  /** Waits until the shard's checkpoint is at the sequence, and stops. Returns what each invocation was given. */
  async function until(shard: string, sequence: number): Promise<number[][]> {
    await eventually(() => {
      if (poller.position.checkpoints.get(shard) !== String(sequence)) throw new Error('not there yet')
    })
    await poller.stop()
    return invocations.map(({ sequences }) => sequences.map(Number))
  }
  return { ...poller, invocations, givenUp, until }
}
