import { expect, test } from 'vitest'
import type { ShardState } from '#core/lake/state'
import type { StreamEntry } from '#core/ports'
import { createPipeline, PIPELINE_DEFAULTS, type PipelineServices } from '#local/pipeline/pipeline'
import type { LogCode } from '#schemas/log'
import { eventually } from '#test/support/eventually'

const quick = { ...PIPELINE_DEFAULTS, windowMs: 1, maintenanceMs: 1, pruneMs: 1, maxBackoffMs: 4 }

function entries(from: number, to: number): StreamEntry[] {
  return Array.from({ length: to - from + 1 }, (_, i) => ({
    sequence: String(from + i),
    data: new Uint8Array(1),
  }))
}

/** A pipeline over a stream in memory, whose consumer only moves highWater; `run` and `stop` it. */
function pipeline(overrides: Partial<PipelineServices> = {}, settings = quick) {
  const shard: ShardState = { shard: 's', highWater: null, epoch: 1, claim: null, claimedAt: null }
  const log: [LogCode, Record<string, unknown> | undefined][] = []
  const made = { records: entries(1, 3), batches: [] as number[], ticks: 0, pruned: [] as [string, number][] }
  const services: PipelineServices = {
    state: { shard: async () => ({ ...shard }) },
    stream: {
      shards: async () => ['s'],
      read: async (_, after, limit) =>
        made.records.filter(({ sequence }) => Number(sequence) > Number(after ?? 0)).slice(0, limit),
    },
    consumer: {
      consume: async () => 0,
      consumeBatch: async (_, batch) => {
        made.batches.push(batch.length)
        shard.highWater = batch.at(-1)!.sequence
      },
    },
    maintenance: {
      tick: async () => {
        made.ticks += 1
      },
    },
    prune: async (upTo, olderThan) => {
      made.pruned.push([upTo, olderThan])
      return 0
    },
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
  return { shard, log, made, stop }
}

test('what is in the stream goes to the lake, also what comes later', async () => {
  const { shard, made, stop } = pipeline()
  await eventually(() => expect(shard.highWater).toBe('3'))
  made.records.push(...entries(4, 4))
  await eventually(() => expect(shard.highWater).toBe('4'))
  await stop()
})

test('a backlog is taken in large batches without a pause between them', async () => {
  const slow = { ...quick, windowMs: 3_600_000 }
  const { shard, made, stop } = pipeline(
    {
      stream: {
        shards: async () => ['s'],
        read: async (_, after, limit) => entries(Number(after ?? 0) + 1, 12_000).slice(0, limit),
      },
    },
    slow,
  )
  await eventually(() => expect(shard.highWater).toBe('12000'))
  expect(made.batches).toEqual([5_000, 5_000, 2_000])
  await stop()
})

test('a claim that a dead process left is finished although nothing new is in the stream', async () => {
  let finished = 0
  const { shard, made, stop } = pipeline({
    consumer: {
      consume: async () => {
        finished += 1
        shard.claim = null
        return 1
      },
      consumeBatch: async () => {},
    },
  })
  made.records.length = 0
  shard.claim = { first: '1', last: '3', epoch: 1 }
  await eventually(() => expect(finished).toBe(1))
  await stop()
})

test('a failing batch is logged by code and tried again; maintenance goes on meanwhile', async () => {
  let tries = 0
  const { shard, log, made, stop } = pipeline({
    consumer: {
      consume: async () => 0,
      consumeBatch: async (_, batch) => {
        tries += 1
        if (tries < 3) throw new Error('disk full')
        shard.highWater = batch.at(-1)!.sequence
      },
    },
  })
  await eventually(() => expect(shard.highWater).toBe('3'))
  expect(log.map(([code, fields]) => [code, fields?.failures])).toEqual([
    ['LAKE_BATCH_FAILED', 1],
    ['LAKE_BATCH_FAILED', 2],
  ])
  expect(made.ticks).toBeGreaterThan(0)
  await stop()
})

test('failing maintenance is logged and does not hold up the consumer', async () => {
  const { shard, log, stop } = pipeline({
    maintenance: {
      tick: async () => {
        throw new Error('state is away')
      },
    },
  })
  await eventually(() => expect(shard.highWater).toBe('3'))
  await eventually(() => expect(log.at(-1)?.[0]).toBe('JOB_FAILED'))
  await stop()
})

test('the stream is pruned up to what the lake holds, and only beyond the retention', async () => {
  const { made, stop } = pipeline({}, { ...quick, retentionMs: 4_000_000 })
  await eventually(() => expect(made.pruned).toContainEqual(['3', 6_000_000]))
  await stop()
})

test('stop returns once the step at hand is done', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  let done = false
  const { stop } = pipeline({
    consumer: {
      consume: async () => 0,
      consumeBatch: async () => {
        await held
        done = true
      },
    },
  })
  await new Promise(resolve => setTimeout(resolve, 20))
  const stopped = stop()
  release()
  await stopped
  expect(done).toBe(true)
})
