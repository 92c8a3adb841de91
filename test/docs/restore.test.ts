import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createLakeConsumer } from '#core/lake/consumer'
import { createLakeWorker, type LakeJob } from '#core/lake/jobs'
import { coldEpochRange, parseHotKey, partitionValue } from '#core/lake/keys'
import { createMaintenance, MAINTENANCE_DEFAULTS } from '#core/lake/maintenance'
import type { StreamEntry } from '#core/ports'
import { createStores } from '#core/stores'
import { eventsRecord } from '#test/support/events-record'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  encodeSimulated,
} from '#test/support/simulated-ports'
import { openTestState, type TestState } from '#test/support/test-state'

/**
 * docs/operations.md, Backup and restore: a table that was put back to an earlier moment, with the update expressions as
 * they stand there, goes on without losing an event or showing one twice.
 */

const document = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')

type Update = { key: string; expression: string; values: string }

/** The two `aws dynamodb update-item` of step 4: of a shard, and of the lake. */
const [ofShard, ofLake] = [
  ...document.matchAll(
    /update-item --table-name "\$table"[\s\\]+--key '(.+?)'[\s\\]+--update-expression '(.+?)'[\s\\]+--expression-attribute-values '(.+?)'/g,
  ),
].map(([, key = '', expression = '', values = '']): Update => ({ key, expression, values })) as [
  Update,
  Update,
]

const SHARDS = ['shardId-000000000000', 'shardId-000000000001'] as const
const HOUR = 3_600_000

async function openWorld() {
  const state = await openTestState()
  const clock = { time: Date.UTC(2026, 10, 1), now: () => clock.time }
  const { lakeState, usage, projects } = createStores(state, clock)
  const lake = createSimulatedLake()
  const stream = createSimulatedStream()
  stream.byName.clear()
  for (const shard of SHARDS) stream.byName.set(shard, { entries: [], open: true })
  const jobs = createSimulatedQueue()
  const log = () => {}
  const services = { state: lakeState, lake, usage, projects, clock, log }
  const consumer = createLakeConsumer({ ...services, stream, encode: encodeSimulated })
  const worker = createLakeWorker({ ...services, compactor: createSimulatedCompactor(lake) })
  const maintenance = createMaintenance(
    { ...services, jobs },
    { ...MAINTENANCE_DEFAULTS, coldSpanMs: 0, coldAfterMs: 30 * HOUR },
  )
  let sent = 0

  return {
    state,
    lake,
    sent: () => Array.from({ length: sent }, (_, i) => `e${i + 1}`),
    /** Puts `count` records of one event each on the shard. */
    accept(shard: string, count: number): void {
      for (let i = 0; i < count; i++) stream.accept(shard, eventsRecord([`e${++sent}`], clock.time))
    },
    /** Delivers the shard's newest `count` records, as Lambda does where it has no checkpoint behind them. */
    deliver: (shard: string, count: number): Promise<void> =>
      consumer.consumeBatch(shard, newest(shard, count)),
    /** A delivery that ends when its claim is open and its file is not there yet. */
    async crash(shard: string, count: number): Promise<void> {
      const dies = createLakeConsumer({
        ...{ ...services, stream, encode: encodeSimulated },
        lake: { ...lake, put: () => Promise.reject(new Error('the process is gone')) },
      })
      await dies.consumeBatch(shard, newest(shard, count)).catch(() => {})
    },
    /** An hour of ticks and jobs. */
    async pass(hours: number): Promise<void> {
      clock.time += hours * HOUR
      for (let i = 0; i < 6; i++) {
        await maintenance.tick()
        for (const job of jobs.jobs.splice(0)) await worker.run(job as LakeJob)
        clock.time += 60_000
      }
    },
    /** The events that a read sees now, each as often as it sees it. */
    async visible(): Promise<string[]> {
      const { cold, warm, epoch } = await lakeState.lake()
      const isRead = (key: string): boolean => {
        if (key.startsWith('cold/')) return coldEpochRange(key)[0] < cold
        const of = Number(partitionValue(key, 'epoch'))
        return key.startsWith('warm/') ? of >= cold && of < warm : of >= warm && of <= epoch
      }
      return [...lake.objects.keys()].filter(isRead).flatMap(key => lake.rows(key).map(({ id }) => id))
    },
  }

  function newest(shard: string, count: number): StreamEntry[] {
    return (stream.byName.get(shard)?.entries ?? []).slice(-count)
  }
}

/** Step 3: the items as they were; later ones stay. */
async function copyBack({ client, table }: TestState, items: Record<string, unknown>[]): Promise<void> {
  for (const Item of items) await client.put({ TableName: table, Item })
}

/** Step 4. Sequences of a shard have one length, so that text sorts them. */
async function moveOn(state: TestState, keys: Iterable<string>): Promise<void> {
  const files = [...keys].map(parseHotKey).filter(file => file !== null)
  const epoch = String(Math.max(...files.map(({ claim }) => claim.epoch)))
  for (const [shard, found] of Map.groupBy(files, file => file.shard)) {
    const last = found
      .map(({ claim }) => claim.last)
      .toSorted()
      .at(-1) as string
    await apply(state, ofShard, text =>
      text.replace('SHARD', shard).replace('LAST', last).replace('EPOCH', epoch),
    )
  }
  await apply(state, ofLake, text => text.replace('EPOCH', epoch))
}

async function apply({ client, table }: TestState, update: Update, filled: (text: string) => string) {
  await client.update({
    TableName: table,
    Key: plain(filled(update.key)),
    UpdateExpression: update.expression,
    ExpressionAttributeValues: plain(filled(update.values)),
  })
}

/** `{"a": {"S": "x"}, "b": {"N": "1"}}` as the document client takes it. */
function plain(json: string): Record<string, unknown> {
  const typed: Record<string, { S?: string; N?: string }> = JSON.parse(json)
  return Object.fromEntries(
    Object.entries(typed).map(([name, { S, N }]) => [name, N === undefined ? S : Number(N)]),
  )
}

const [a, b] = SHARDS
type World = Awaited<ReturnType<typeof openWorld>>

/** A history in steps; the table is put back to what it was after each of them in turn. */
const steps: ((world: World) => void | Promise<void>)[] = [
  world => {
    world.accept(a, 3)
    world.accept(b, 2)
    return world.deliver(a, 3)
  },
  world => world.deliver(b, 2),
  world => world.pass(1),
  world => {
    world.accept(a, 2)
    return world.crash(a, 2)
  },
  world => world.deliver(a, 2),
  world => {
    world.accept(b, 4)
    return world.deliver(b, 4)
  },
  world => world.pass(1),
  world => {
    world.accept(a, 3)
    return world.deliver(a, 3)
  },
]

/** Before anything is compacted, after it, with an open claim, and an epoch behind. */
test.each([1, 3, 4, 6])('back to step %d of 8: no event is lost or seen twice', async step => {
  const world = await openWorld()
  try {
    let past: Record<string, unknown>[] = []
    for (const [i, run] of steps.entries()) {
      await run(world)
      if (i + 1 === step) past = (await world.state.client.scan({ TableName: world.state.table })).Items ?? []
    }
    await copyBack(world.state, past)
    await moveOn(world.state, world.lake.objects.keys())
    // What Lambda delivers next reaches back over records that were taken after the moment of the restore.
    world.accept(a, 2)
    world.accept(b, 1)
    await world.deliver(a, 7)
    await world.deliver(b, 5)
    expect((await world.visible()).toSorted()).toEqual(world.sent().toSorted())
    for (const hours of [1, 1, 60]) {
      await world.pass(hours)
      expect((await world.visible()).toSorted()).toEqual(world.sent().toSorted())
    }
  } finally {
    await world.state.close()
  }
})
