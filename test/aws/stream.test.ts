import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  KinesisClient,
  ListShardsCommand,
  MergeShardsCommand,
  PutRecordsCommand,
} from '@aws-sdk/client-kinesis'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createKinesisClient } from '#aws/clients'
import { createKinesisStream } from '#aws/stream'
import type { Log } from '#core/ports'
import { eventStreamContract } from '#test/contract/event-stream'
import { awsError } from '../support/aws-error.ts'
import { EMULATOR_ACCESS, type EmulatedKinesis, startKinesis } from '../support/emulators.ts'

let kinesis: EmulatedKinesis
beforeAll(async () => {
  kinesis = await startKinesis()
})
afterAll(() => kinesis.stop())

const silent = () => {}

eventStreamContract('Kinesis (kinesalite)', async () => {
  const streamArn = await kinesis.createStream(3)
  return {
    stream: createKinesisStream({ client: kinesis.client, streamArn, log: silent }),
    close: async () => {},
  }
})

describe('on the emulator', () => {
  test('records are spread over the shards', async () => {
    const streamArn = await kinesis.createStream(4)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent })
    await stream.append(Array.from({ length: 400 }, (_, i) => Buffer.from(`${i}`)))
    const shards = await stream.shards()
    expect(shards).toHaveLength(4)
    for (const shard of shards) expect((await stream.read(shard, null, 1000)).length).toBeGreaterThan(50)
  })

  test('more records than one call takes, by number and by bytes, are all there', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent })
    await stream.append(Array.from({ length: 1203 }, (_, i) => Buffer.from(`${i}`)))
    await stream.append(Array.from({ length: 7 }, () => Buffer.alloc(900_000)))
    const [shard = ''] = await stream.shards()
    const small = await stream.read(shard, null, 1203)
    expect(small.map(({ data }) => Number(Buffer.from(data).toString())).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 1203 }, (_, i) => i),
    )
    const large = await stream.read(shard, small.at(-1)?.sequence ?? null, 100)
    expect(large.map(({ data }) => data.length)).toEqual(Array.from({ length: 7 }, () => 900_000))
  })

  test('a read may start just below a sequence that is known', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent })
    for (const text of ['a', 'b', 'c']) await stream.append([Buffer.from(text)])
    const [shard = ''] = await stream.shards()
    const all = await stream.read(shard, null, 10)
    const below = String(BigInt(all[1]!.sequence) - 1n)
    expect(await stream.read(shard, below, 10)).toEqual(all.slice(1))
  })

  test('a shard that a reshard has closed is read to its end', async () => {
    const streamArn = await kinesis.createStream(2)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent })
    await stream.append(Array.from({ length: 20 }, (_, i) => Buffer.from(`${i}`)))
    const [left = '', right = ''] = await stream.shards()
    await kinesis.client.send(
      new MergeShardsCommand({
        StreamName: streamArn.split('/')[1],
        ShardToMerge: left,
        AdjacentShardToMerge: right,
      }),
    )
    await expect.poll(() => stream.shards()).toHaveLength(3)
    const entries = await Promise.all([left, right].map(shard => stream.read(shard, null, 100)))
    expect(entries.flat()).toHaveLength(20)
    expect(await stream.read(left, entries[0]?.at(-1)?.sequence ?? null, 100)).toEqual([])
  })

  test('a shard that is no longer there has no entries, a stream that is not there is an error', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent })
    expect(await stream.read('shardId-000000000099', null, 10)).toEqual([])
    const other = createKinesisStream({ client: kinesis.client, streamArn: `${streamArn}-not`, log: silent })
    await expect(other.read('shardId-000000000000', null, 10)).rejects.toThrow('not')
    await expect(other.append([Buffer.from('a')])).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
  })
})

describe('when Kinesis is in trouble', () => {
  const streamArn = 'arn:aws:kinesis:eu-central-1:111122223333:stream/events'
  const quick = { baseMs: 1, maxMs: 2 }

  /** A stream whose client sends nothing. */
  function setUp({ appendMs = 60_000, readMs = 60_000 } = {}) {
    const logged: Parameters<Log>[] = []
    const client = new KinesisClient({ maxAttempts: 1, ...EMULATOR_ACCESS })
    const mock = mockClient(client)
    const settings = { client, streamArn, appendMs, readMs, appendBackoff: quick, readBackoff: quick }
    const stream = createKinesisStream({ ...settings, log: (...line) => logged.push(line) })
    return { stream, logged, mock }
  }
  type Mock = ReturnType<typeof setUp>['mock']

  const taken = { SequenceNumber: '1', ShardId: 's' }
  const throttled = { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'slow down' }
  const slowDown = awsError('ProvisionedThroughputExceededException', 'client')
  const sent = (mock: Mock) =>
    mock
      .commandCalls(PutRecordsCommand)
      .map(({ args }) => (args[0].input.Records ?? []).map(({ Data }) => Buffer.from(Data ?? []).toString()))

  test('only the records that failed are sent again, each time under new keys', async () => {
    const { stream, logged, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .resolvesOnce({ FailedRecordCount: 2, Records: [taken, throttled, { ErrorCode: 'InternalFailure' }] })
      .resolvesOnce({ FailedRecordCount: 1, Records: [throttled, taken] })
      .resolves({ FailedRecordCount: 0, Records: [taken] })
    await stream.append(['a', 'b', 'c'].map(text => Buffer.from(text)))
    expect(sent(mock)).toEqual([['a', 'b', 'c'], ['b', 'c'], ['b']])
    expect(logged).toEqual([])
    const keys = mock
      .commandCalls(PutRecordsCommand)
      .flatMap(({ args }) => (args[0].input.Records ?? []).map(({ PartitionKey }) => PartitionKey))
    expect(new Set(keys).size).toBe(6)
  })

  test.each([
    ['throttled', slowDown],
    ['failing', awsError('InternalFailure', 'server')],
    ['signed with a token that has just expired', awsError('ExpiredTokenException', 'client')],
    ['cut off', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ])('a whole call that is %s is made again', async (_, error) => {
    const { stream, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .rejectsOnce(error)
      .resolves({ FailedRecordCount: 0, Records: [taken] })
    await stream.append([Buffer.from('a')])
    expect(sent(mock)).toEqual([['a'], ['a']])
  })

  test('a call of which no answer came is made again under the same keys, as it may have been taken', async () => {
    const { stream, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .rejectsOnce(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
      .resolves({ FailedRecordCount: 0, Records: [taken] })
    await stream.append([Buffer.from('a')])
    const [first, second] = mock
      .commandCalls(PutRecordsCommand)
      .map(({ args }) => args[0].input.Records?.[0]?.PartitionKey)
    expect(second).toBe(first)
  })

  test('a call that is refused for good is not made again', async () => {
    const { stream, mock } = setUp()
    mock.on(PutRecordsCommand).rejects(awsError('AccessDeniedException', 'client'))
    await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(sent(mock)).toHaveLength(1)
  })

  test('an append that does not succeed in its time is UNAVAILABLE, and logged with its reasons', async () => {
    const { stream, logged, mock } = setUp({ appendMs: 100 })
    mock.on(PutRecordsCommand).resolves({ FailedRecordCount: 1, Records: [throttled] })
    await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      status: 503,
      extras: { retryAfter: 5 },
    })
    expect(logged).toEqual([
      ['STREAM_UNAVAILABLE', expect.objectContaining({ records: 1, reasons: [throttled.ErrorCode] })],
    ])
  })

  test('an append that gets no answer ends in its time', async () => {
    const deaf = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void deaf.close())
    await once(deaf, 'listening')
    const { port } = deaf.address() as AddressInfo
    const client = createKinesisClient({ endpoint: `http://127.0.0.1:${port}`, ...EMULATOR_ACCESS })
    onTestFinished(() => client.destroy())
    const stream = createKinesisStream({ client, streamArn, log: silent, appendMs: 100 })
    await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  const record = (sequence: string) => ({
    SequenceNumber: sequence,
    Data: Buffer.from(sequence),
    PartitionKey: 'k',
  })
  const sequences = async (entries: Promise<{ sequence: string }[]>) =>
    (await entries).map(({ sequence }) => sequence)

  test('a read passes over empty pages until it has reached the tip, and keeps sequences as they came', async () => {
    const { stream, mock } = setUp()
    mock.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i1' })
    mock
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: [], NextShardIterator: 'i2', MillisBehindLatest: 9_000 })
      .resolvesOnce({ Records: [record('0007')], NextShardIterator: 'i3', MillisBehindLatest: 500 })
      .resolvesOnce({ Records: [record('0009')], NextShardIterator: 'i4', MillisBehindLatest: 0 })
    expect(await sequences(stream.read('s', '0003', 10))).toEqual(['0007', '0009'])
    expect(mock.commandCalls(GetShardIteratorCommand)[0]?.args[0].input).toMatchObject({
      StreamARN: streamArn,
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      StartingSequenceNumber: '0003',
    })
    const pages = mock.commandCalls(GetRecordsCommand).map(({ args }) => args[0].input)
    expect(pages.map(({ ShardIterator }) => ShardIterator)).toEqual(['i1', 'i2', 'i3'])
    expect(pages.map(({ Limit }) => Limit)).toEqual([10, 10, 9])
    expect(pages.every(({ StreamARN }) => StreamARN === streamArn)).toBe(true)
  })

  test('an iterator that has expired is made anew after the last record that was read', async () => {
    const { stream, mock } = setUp()
    mock.on(GetShardIteratorCommand).resolvesOnce({ ShardIterator: 'i1' }).resolves({ ShardIterator: 'i2' })
    mock
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: [record('7')], NextShardIterator: 'old', MillisBehindLatest: 10 })
      .rejectsOnce(awsError('ExpiredIteratorException', 'client'))
      .resolves({ Records: [record('8')], NextShardIterator: 'i3', MillisBehindLatest: 0 })
    expect(await sequences(stream.read('s', null, 10))).toEqual(['7', '8'])
    const types = mock.commandCalls(GetShardIteratorCommand).map(({ args }) => args[0].input)
    expect(types).toMatchObject([
      { ShardIteratorType: 'TRIM_HORIZON' },
      { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: '7' },
    ])
  })

  test('a throttled read waits and goes on', async () => {
    const { stream, mock } = setUp()
    mock.on(GetShardIteratorCommand).rejectsOnce(slowDown).resolves({ ShardIterator: 'i1' })
    mock
      .on(GetRecordsCommand)
      .rejectsOnce(slowDown)
      .resolves({ Records: [record('8')], NextShardIterator: 'i3', MillisBehindLatest: 0 })
    expect(await sequences(stream.read('s', null, 10))).toEqual(['8'])
  })

  test('a read that has found nothing in its time is UNAVAILABLE, never an empty answer', async () => {
    const { stream, mock } = setUp({ readMs: 100 })
    mock.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i1' })
    mock.on(GetRecordsCommand).rejects(slowDown)
    await expect(stream.read('s', null, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a read that has found some when its time ends gives what it has', async () => {
    const { stream, mock } = setUp({ readMs: 100 })
    mock.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i1' })
    mock
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: [record('7')], NextShardIterator: 'i2', MillisBehindLatest: 10 })
      .rejects(slowDown)
    expect(await sequences(stream.read('s', null, 10))).toEqual(['7'])
  })

  test('all pages of the shards are listed', async () => {
    const { stream, mock } = setUp()
    mock
      .on(ListShardsCommand)
      .resolvesOnce({ Shards: [shard('a'), shard('b')], NextToken: 'more' })
      .resolves({ Shards: [shard('c')] })
    expect(await stream.shards()).toEqual(['a', 'b', 'c'])
    expect(mock.commandCalls(ListShardsCommand)[1]?.args[0].input).toEqual({ NextToken: 'more' })
  })

  function shard(ShardId: string) {
    return { ShardId, HashKeyRange: undefined, SequenceNumberRange: undefined }
  }
})
