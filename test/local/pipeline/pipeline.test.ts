import { expect, onTestFinished, test, vi } from 'vitest'
import type { ShardState } from '#core/lake/model/state'
import type { StreamEntry } from '#core/ports'
import { createPipeline, PIPELINE_DEFAULTS, type PipelineServices } from '#local/pipeline/pipeline'
import type { LogCode } from '#schemas/log'
import { eventually } from '#test/support/eventually'

const shortPauses = {
  ...PIPELINE_DEFAULTS,
  windowMs: 1,
  liveMs: 1,
  maintenanceMs: 1,
  pruneMs: 1,
  maxBackoffMs: 4,
}

function entries(from: number, to: number): StreamEntry[] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    sequence: String(from + i),
    data: new Uint8Array(1),
  }))
}

/**
 * Runs a pipeline over a stream in memory, with a consumer that only moves highWater. `calls` has what it
 * did.
 */
function startPipeline(overrides: Partial<PipelineServices> = {}, settings = shortPauses) {
  const shard: ShardState = { shard: 's', highWater: null, epoch: 1, claim: null, claimedAt: null }
  const log: [LogCode, Record<string, unknown> | undefined][] = []
  const records = entries(1, 3)
  const calls = { batchSizes: [] as number[], ticks: 0, liveCopies: 0, prunes: [] as [string, number][] }
  const services: PipelineServices = {
    state: { shard: async () => ({ ...shard }) },
    stream: {
      shards: async () => ['s'],
      read: async (_, after, limit) =>
        records.filter(({ sequence }) => Number(sequence) > Number(after ?? 0)).slice(0, limit),
    },
    consumer: {
      consume: async (_, batch = []) => {
        calls.batchSizes.push(batch.length)
        shard.highWater = batch.at(-1)!.sequence
        return batch.length
      },
    },
    maintenance: {
      tick: async () => {
        calls.ticks += 1
      },
    },
    prune: async (_, upTo, olderThan) => {
      calls.prunes.push([upTo, olderThan])
      return 0
    },
    live: {
      copyAll: async () => {
        calls.liveCopies += 1
      },
    },
    identity: { fold: async () => {} },
    deleteExpired: async () => {},
    clock: { now: () => 10_000_000 },
    log: (code, fields) => void log.push([code, fields]),
    ...overrides,
  }
  const stopping = new AbortController()
  const running = createPipeline(services, settings).run(stopping.signal)
  const stop = () => {
    stopping.abort()
    return running
  }
  return { shard, log, records, calls, stop }
}

test('records of the stream go to the lake, also records that arrive later', async () => {
  const { shard, records, stop } = startPipeline()
  await eventually(() => expect(shard.highWater).toBe('3'))
  records.push(...entries(4, 4))
  await eventually(() => expect(shard.highWater).toBe('4'))
  await stop()
})

test('a backlog goes to the lake in large batches without a pause between them', async () => {
  const longWindow = { ...shortPauses, windowMs: 3_600_000 }
  const { shard, calls, stop } = startPipeline(
    {
      stream: {
        shards: async () => ['s'],
        read: async (_, after, limit) => entries(Number(after ?? 0) + 1, 12_000).slice(0, limit),
      },
    },
    longWindow,
  )
  await eventually(() => expect(shard.highWater).toBe('12000'))
  expect(calls.batchSizes).toEqual([5_000, 5_000, 2_000])
  await stop()
})

test('the window of a shard begins with its claim, so a long claim is followed by the next one at once', async () => {
  const windowMs = 3_600_000
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const claims: string[] = []
  const { stop } = startPipeline(
    {
      state: {
        shard: async shard => ({
          shard,
          highWater: claims.at(-1) ?? '0',
          epoch: 1,
          claim: null,
          claimedAt: null,
        }),
      },
      stream: {
        shards: async () => ['s'],
        read: async (_, after) => entries(Number(after) + 1, Number(after) + 1),
      },
      consumer: {
        consume: async (_, batch = []) => {
          claims.push(batch[0]!.sequence)
          // The third claim is a short one.
          if (claims.length < 3) now += windowMs
          return batch.length
        },
      },
    },
    { ...shortPauses, windowMs },
  )
  // The wait reads the same clock, which goes on by hours.
  await eventually(() => expect(claims).toEqual(['1', '2', '3']), { timeoutMs: 10 * windowMs })
  await stop()
  expect(claims).toEqual(['1', '2', '3'])
})

test('a shard with few records waits for one claim of a shard with many, not for all of them', async () => {
  const high: Record<string, number> = { busy: 0, quiet: 0 }
  const ends: Record<string, number> = { busy: 15_000, quiet: 1 }
  const reads = { busy: 0, quiet: 0 }
  let busyBeforeQuiet = Number.NaN
  const { stop } = startPipeline({
    state: {
      shard: async shard => ({
        shard,
        highWater: String(high[shard]),
        epoch: 1,
        claim: null,
        claimedAt: null,
      }),
    },
    stream: {
      shards: async () => ['busy', 'quiet'],
      read: async (shard, after, limit) => {
        const found = entries(Number(after) + 1, ends[shard] as number).slice(0, limit)
        if (found.length > 0) reads[shard as 'busy' | 'quiet'] += 1
        return found
      },
    },
    consumer: {
      // A claim takes less than a read returns.
      consume: async (shard, batch = []) => {
        const claimed = batch.slice(0, 1_000)
        expect(claimed[0]?.sequence).toBe(String((high[shard] as number) + 1))
        high[shard] = Number(claimed.at(-1)?.sequence)
        if (shard === 'quiet') busyBeforeQuiet = high.busy as number
        return claimed.length
      },
    },
  })
  await eventually(() => expect(high).toEqual({ busy: 15_000, quiet: 1 }))
  await stop()
  expect(busyBeforeQuiet).toBe(1_000)
  // The entries of a read that a claim leaves are not read again.
  expect(reads).toEqual({ busy: 3, quiet: 1 })
})

test('an open claim of a crashed process is finished when the stream has no new records', async () => {
  let consumeCalls = 0
  const { shard, records, stop } = startPipeline({
    consumer: {
      consume: async () => {
        consumeCalls += 1
        shard.claim = null
        return 1
      },
    },
  })
  records.length = 0
  shard.claim = { first: '1', last: '3', epoch: 1 }
  await eventually(() => expect(consumeCalls).toBe(1))
  await stop()
})

test('a failed batch is logged and tried again, and maintenance continues', async () => {
  let tries = 0
  const { shard, log, calls, stop } = startPipeline({
    consumer: {
      consume: async (_, batch = []) => {
        tries += 1
        if (tries < 3) throw new Error('disk full')
        shard.highWater = batch.at(-1)!.sequence
        return batch.length
      },
    },
  })
  await eventually(() => expect(shard.highWater).toBe('3'))
  expect(log.map(([code, fields]) => [code, fields?.failures])).toEqual([
    ['LAKE_BATCH_FAILED', 1],
    ['LAKE_BATCH_FAILED', 2],
  ])
  expect(calls.ticks).toBeGreaterThan(0)
  await stop()
})

test('failed maintenance is logged and does not delay the consumer', async () => {
  const { shard, log, stop } = startPipeline({
    maintenance: {
      tick: async () => {
        throw new Error('state unreachable')
      },
    },
  })
  await eventually(() => expect(shard.highWater).toBe('3'))
  await eventually(() => expect(log.at(-1)?.[0]).toBe('JOB_FAILED'))
  await stop()
})

test('records are deleted from the stream only when the lake has them and the retention is over', async () => {
  const { calls, stop } = startPipeline({}, { ...shortPauses, retentionMs: 4_000_000 })
  await eventually(() => expect(calls.prunes).toContainEqual(['3', 6_000_000]))
  await stop()
})

test('stop resolves when the current step has ended', async () => {
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const { promise: stepStarted, resolve: reportStart } = Promise.withResolvers<void>()
  let hasEnded = false
  const { stop } = startPipeline({
    consumer: {
      async consume() {
        reportStart()
        await gate
        hasEnded = true
        return 0
      },
    },
  })
  await stepStarted
  let hasStopped = false
  const stopped = stop().then(() => {
    hasStopped = true
  })
  await new Promise(resolve => setImmediate(resolve))
  expect(hasStopped).toBe(false)
  openGate()
  await stopped
  expect(hasEnded).toBe(true)
})
