import { DescribeStreamSummaryCommand, ListShardsCommand, PutRecordsCommand } from '@aws-sdk/client-kinesis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKinesisStream } from '#aws/stream'
import { createStreamRetention } from '#aws/stream-retention'
import type { ShardState } from '#core/lake/model/state'
import type { LogCode } from '#schemas/log'
import { type EmulatedKinesis, PATIENT_STREAM, startKinesis } from '#test/support/emulators'

const HOUR_MS = 3_600_000

let kinesis: EmulatedKinesis
beforeAll(async () => {
  kinesis = await startKinesis()
})
afterAll(() => kinesis?.stop())

/**
 * A stream of two shards with a record in each that arrived `ageMs` ago, by the clock of the scheduler. The
 * clock stands at a half hour, when the scheduler looks.
 */
async function open({ ageMs = 0, retentionHours = 24 } = {}) {
  const { client } = kinesis
  const streamArn = await kinesis.createStream(2)
  const StreamName = streamArn.slice(streamArn.lastIndexOf('/') + 1)
  const { Shards = [] } = await client.send(new ListShardsCommand({ StreamName }))
  await client.send(
    new PutRecordsCommand({
      StreamName,
      Records: Shards.map(({ HashKeyRange }, i) => ({
        Data: Buffer.from(`record ${i}`),
        PartitionKey: String(i),
        ExplicitHashKey: HashKeyRange?.StartingHashKey,
      })),
    }),
  )
  const stream = createKinesisStream({ client, streamArn, log: () => {}, ...PATIENT_STREAM })
  const names = await stream.shards()
  const highWaters = new Map<string, string>()
  const logged: [LogCode, Record<string, unknown> | undefined][] = []
  let now = Math.ceil((Date.now() + ageMs) / (HOUR_MS / 2)) * (HOUR_MS / 2)
  const retention = createStreamRetention({
    client,
    streamArn,
    state: {
      shards: async () =>
        names.map((shard): ShardState => {
          const highWater = highWaters.get(shard) ?? null
          return { shard, highWater, epoch: null, claim: null, claimedAt: null }
        }),
    },
    clock: { now: () => now },
    log: (code, fields) => logged.push([code, fields]),
    retentionHours,
  })
  return {
    retention,
    logged,
    now: () => now,
    /** The lake consumer reads a shard to its end. */
    async consume(shard: number) {
      const entries = await stream.read(names[shard] ?? '', null, 100)
      highWaters.set(names[shard] ?? '', entries.at(-1)?.sequence ?? '')
    },
    later(ms: number) {
      now += ms
    },
    async hours() {
      const { StreamDescriptionSummary } = await client.send(new DescribeStreamSummaryCommand({ StreamName }))
      return StreamDescriptionSummary?.RetentionPeriodHours
    },
  }
}

test('records that nobody has read for over six hours raise the retention to a week, until all shards are read', async () => {
  const { retention, logged, consume, hours } = await open({ ageMs: 7 * HOUR_MS })
  await retention.tick()
  expect(await hours()).toBe(168)
  expect(logged).toEqual([['RETENTION_RAISED', { from: 24, to: 168, unreadHours: expect.any(Number) }]])
  await retention.tick()
  expect(logged).toHaveLength(1)

  await consume(0)
  await retention.tick()
  expect(await hours()).toBe(168)
  await consume(1)
  await retention.tick()
  expect(await hours()).toBe(24)
  expect(logged.at(-1)).toEqual(['RETENTION_LOWERED', { from: 168, to: 24, unreadHours: 0 }])
})

test('the oldest unread record is known until all shards are read, and not if Kinesis fails', async () => {
  const { retention, logged, consume, now } = await open({ ageMs: 60 * HOUR_MS })
  const oldest = await retention.oldestUnread()
  // At most a minute before its arrival, and half an hour that the clock of this test was set ahead.
  expect(now() - oldest).toBeGreaterThanOrEqual(60 * HOUR_MS)
  expect(now() - oldest).toBeLessThan(61 * HOUR_MS)
  await consume(0)
  expect(await retention.oldestUnread()).toBeLessThan(now() - 60 * HOUR_MS + 1)
  await consume(1)
  expect(await retention.oldestUnread()).toBe(Number.POSITIVE_INFINITY)
  const failing = createStreamRetention({
    client: { send: async () => Promise.reject(new Error('throttled')) } as never,
    streamArn: 'arn:aws:kinesis:eu-central-1:1:stream/none',
    ...{ state: { shards: async () => [] }, clock: { now }, retentionHours: 24 },
    log: (code, fields) => logged.push([code, fields]),
  })
  expect(await failing.oldestUnread()).toBe(0)
  expect(logged.at(-1)?.[0]).toBe('JOB_FAILED')
})

test('a consumer that is some hours behind changes nothing', async () => {
  const { retention, logged, hours } = await open({ ageMs: 3 * HOUR_MS })
  await retention.tick()
  expect(await hours()).toBe(24)
  expect(logged).toEqual([])
})

test('the retention of the option is never lowered, and a longer one of the option is never shortened to a week', async () => {
  const { retention, consume, hours } = await open({ ageMs: 7 * HOUR_MS, retentionHours: 48 })
  await retention.tick()
  expect(await hours()).toBe(168)
  await consume(0)
  await consume(1)
  await retention.tick()
  expect(await hours()).toBe(48)
})

test('the scheduler looks twice an hour, because each look reads every shard', async () => {
  const { retention, later, hours } = await open({ ageMs: 7 * HOUR_MS })
  later(60_000)
  await retention.tick()
  expect(await hours()).toBe(24)
  later(29 * 60_000)
  await retention.tick()
  expect(await hours()).toBe(168)
})

test('a failure is logged and does not stop maintenance', async () => {
  const logged: unknown[] = []
  const retention = createStreamRetention({
    client: kinesis.client,
    streamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/nothing',
    state: { shards: async () => [] },
    clock: { now: () => HOUR_MS },
    log: (code, fields) => logged.push([code, fields]),
    retentionHours: 24,
  })
  await retention.tick()
  expect(logged).toEqual([
    ['JOB_FAILED', { job: 'stream-retention', error: expect.stringContaining('ResourceNotFound') }],
  ])
})
