import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createDynamoClient } from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import { packRecord } from '#core/ingest/record'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { parseHotKey } from '#core/lake/model/keys'
import { createLakeStateStore } from '#core/lake/model/state-store'
import type { Lake } from '#core/ports'
import { createUsageStore } from '#core/usage/store'
import type { LogCode } from '#schemas/log'
import { lakeStateContract } from '#test/contract/lake-state'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import {
  EMULATOR_ACCESS,
  type EmulatedKinesis,
  type EmulatedStorage,
  startKinesis,
  startStorage,
} from '#test/support/emulators'
import { emptyTable } from '#test/support/test-state'

let kinesis: EmulatedKinesis
let storage: EmulatedStorage
let state: DynaliteState
let table: { client: ReturnType<typeof createDynamoClient>; table: string }
beforeAll(async () => {
  ;[kinesis, storage, state] = await Promise.all([startKinesis(), startStorage(), openDynaliteState()])
  const client = createDynamoClient({ ...EMULATOR_ACCESS, endpoint: state.endpoint })
  table = { client, table: state.table }
})
afterAll(async () => {
  table.client.destroy()
  await Promise.all([kinesis.stop(), storage.stop(), state.close()])
})

lakeStateContract('DynamoDB by the client of AWS', async () => {
  await emptyTable(state)
  const lake = createS3Lake({ client: storage.s3, bucket: storage.createBucket() })
  return createLakeStateStore(table, { lake, clock: { now: Date.now } })
})

/** The lake consumer with the adapters of AWS, and a function that sends it records of one event each. */
async function setUp() {
  await emptyTable(state)
  onTestFinished(() => emptyTable(state))
  const logged: LogCode[] = []
  const log = (code: LogCode) => void logged.push(code)
  const stream = createKinesisStream({
    client: kinesis.client,
    streamArn: await kinesis.createStream(2),
    log,
    // The emulator shares the machine with other tests.
    appendMs: 60_000,
    readMs: 60_000,
  })
  const lake = createS3Lake({ client: storage.s3, bucket: storage.createBucket() })
  const lakeState = createLakeStateStore(table, { lake, clock: { now: Date.now } })
  const consumer = createLakeConsumer({
    state: lakeState,
    stream,
    lake,
    usage: createUsageStore(table),
    projects: { noteEventIds: async () => {} },
    clock: { now: Date.now },
    log,
  })
  const send = (...names: string[]) =>
    stream.append(
      names.map((event, seq) =>
        packRecord({
          kind: 'events',
          project_id: 'proj_1',
          account_id: 'acc_1',
          bucket: 7,
          received_at: 1_763_700_000_000,
          seq,
          country: 'DE',
          events: [
            {
              event,
              properties: null,
              user_id: 'u',
              session_id: 's',
              timestamp: 1_763_700_000_000,
              event_id: null,
            },
          ],
        }),
      ),
    )
  return { stream, lake, lakeState, consumer, send, logged }
}

async function storedNames(lake: Lake): Promise<string[]> {
  const objects = await lake.list('hot/')
  const rows = await Promise.all(
    objects.map(async ({ key }) => {
      const bytes = Uint8Array.from((await lake.get(key)) ?? [])
      return parquetReadObjects({ file: bytes.buffer, compressors })
    }),
  )
  return rows
    .flat()
    .map(row => String(row.event))
    .toSorted()
}

test('the consumer stores each record once, and continues after the last one', async () => {
  const { stream, lake, consumer, send } = await setUp()
  const names = Array.from({ length: 60 }, (_, i) => `event_${i}`)
  await send(...names.slice(0, 40))
  for (const shard of await stream.shards()) await consumer.consume(shard)
  await send(...names.slice(40))
  for (const shard of await stream.shards()) {
    await consumer.consume(shard)
    expect(await consumer.consume(shard)).toBe(0)
  }
  expect(await storedNames(lake)).toEqual(names.toSorted())
})

test('an open claim is finished with exactly its range, read again from the stream', async () => {
  const { stream, lake, lakeState, consumer, send, logged } = await setUp()
  await send(...Array.from({ length: 60 }, (_, i) => `event_${i}`))
  const [shard = ''] = await stream.shards()
  const entries = await stream.read(shard, null, 100)
  const [first, last] = [entries[0]?.sequence ?? '', entries[2]?.sequence ?? '']
  await lakeState.addShard(shard)
  await lakeState.joinEpoch(shard, (await lakeState.lake()).epoch)
  const { epoch } = await lakeState.shard(shard)
  expect(await lakeState.claim(shard, { first, last, epoch: epoch ?? 0 }, null, 1)).toBe(true)
  await consumer.consumeBatch(shard, entries.slice(0, 1))
  expect((await lakeState.shard(shard)).highWater).toBe(last)
  expect((await lake.list('hot/')).map(({ key }) => parseHotKey(key))).toEqual([
    { shard, claim: { first, last, epoch } },
  ])
  expect(logged).toEqual([])
})

test('a lost hot file is written again from the stream', async () => {
  const { stream, lake, consumer, send } = await setUp()
  await send('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  for (const shard of await stream.shards()) await consumer.consume(shard)
  const before = await storedNames(lake)
  const [object] = await lake.list('hot/')
  const parsed = parseHotKey(object?.key ?? '')
  await lake.delete([object?.key ?? ''])
  expect(
    await consumer.rewriteHotFile(parsed?.shard ?? '', parsed?.claim ?? { first: '', last: '', epoch: 0 }),
  ).toBe(true)
  expect(await storedNames(lake)).toEqual(before)
})
