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
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS, type EmulatedKinesis, startKinesis } from '#test/support/emulators'

let kinesis: EmulatedKinesis
beforeAll(async () => {
  kinesis = await startKinesis()
})
afterAll(() => kinesis.stop())

const silent = () => {}

/** The emulator shares the machine with other tests, so its calls may take long. */
const PATIENT = { appendMs: 60_000, readMs: 60_000 }

eventStreamContract('Kinesis (kinesalite)', async () => {
  const streamArn = await kinesis.createStream(3)
  return {
    stream: createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT }),
    close: async () => {},
  }
})

describe('on the emulator', () => {
  test('records spread over the shards', async () => {
    const streamArn = await kinesis.createStream(4)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT })
    await stream.append(Array.from({ length: 400 }, (_, i) => Buffer.from(`${i}`)))
    const shards = await stream.shards()
    expect(shards).toHaveLength(4)
    for (const shard of shards) expect((await stream.read(shard, null, 1000)).length).toBeGreaterThan(50)
  })

  test('append splits records over several calls, by number and by bytes', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT })
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

  test('a read may start one below the sequence of a record', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT })
    for (const text of ['a', 'b', 'c']) await stream.append([Buffer.from(text)])
    const [shard = ''] = await stream.shards()
    const all = await stream.read(shard, null, 10)
    const below = String(BigInt(all[1]!.sequence) - 1n)
    expect(await stream.read(shard, below, 10)).toEqual(all.slice(1))
  })

  test('a shard that a reshard has closed can be read to its end', async () => {
    const streamArn = await kinesis.createStream(2)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT })
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

  test('a missing shard has no entries, and a missing stream is an error', async () => {
    const streamArn = await kinesis.createStream(1)
    const stream = createKinesisStream({ client: kinesis.client, streamArn, log: silent, ...PATIENT })
    expect(await stream.read('shardId-000000000099', null, 10)).toEqual([])
    const other = createKinesisStream({
      ...PATIENT,
      client: kinesis.client,
      streamArn: `${streamArn}-not`,
      log: silent,
    })
    await expect(other.read('shardId-000000000000', null, 10)).rejects.toThrow('not')
    await expect(other.append([Buffer.from('a')])).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    })
  })
})

describe('when Kinesis fails', () => {
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

  const success = { SequenceNumber: '1', ShardId: 's' }
  const throttled = { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'slow down' }
  const slowDown = awsError('ProvisionedThroughputExceededException', 'client')
  const sent = (mock: Mock) =>
    mock
      .commandCalls(PutRecordsCommand)
      .map(({ args }) => (args[0].input.Records ?? []).map(({ Data }) => Buffer.from(Data ?? []).toString()))

  test('only the failed records are sent again, with new keys each time', async () => {
    const { stream, logged, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .resolvesOnce({ FailedRecordCount: 2, Records: [success, throttled, { ErrorCode: 'InternalFailure' }] })
      .resolvesOnce({ FailedRecordCount: 1, Records: [throttled, success] })
      .resolves({ FailedRecordCount: 0, Records: [success] })
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
    ['signed with expired credentials', awsError('ExpiredTokenException', 'client')],
    ['disconnected', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ])('a whole call that is %s is sent again', async (_, error) => {
    const { stream, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .rejectsOnce(error)
      .resolves({ FailedRecordCount: 0, Records: [success] })
    await stream.append([Buffer.from('a')])
    expect(sent(mock)).toEqual([['a'], ['a']])
  })

  test('a call without a response is sent again with the same keys, because Kinesis may have stored it', async () => {
    const { stream, mock } = setUp()
    mock
      .on(PutRecordsCommand)
      .rejectsOnce(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
      .resolves({ FailedRecordCount: 0, Records: [success] })
    await stream.append([Buffer.from('a')])
    const [first, second] = mock
      .commandCalls(PutRecordsCommand)
      .map(({ args }) => args[0].input.Records?.[0]?.PartitionKey)
    expect(second).toBe(first)
  })

  test('a rejected call is not sent again', async () => {
    const { stream, mock } = setUp()
    mock.on(PutRecordsCommand).rejects(awsError('AccessDeniedException', 'client'))
    await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({ name: 'AccessDeniedException' })
    expect(sent(mock)).toHaveLength(1)
  })

  test('an append that exceeds its time is UNAVAILABLE, and the log has the reasons', async () => {
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

  test('an append without a response ends in its time', async () => {
    const silentServer = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silentServer.close())
    await once(silentServer, 'listening')
    const { port } = silentServer.address() as AddressInfo
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

  test('a read continues after empty pages up to the newest record, and sequences stay the same text', async () => {
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

  test('a read with an expired iterator continues after its last record', async () => {
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

  test('a throttled read waits and continues', async () => {
    const { stream, mock } = setUp()
    mock.on(GetShardIteratorCommand).rejectsOnce(slowDown).resolves({ ShardIterator: 'i1' })
    mock
      .on(GetRecordsCommand)
      .rejectsOnce(slowDown)
      .resolves({ Records: [record('8')], NextShardIterator: 'i3', MillisBehindLatest: 0 })
    expect(await sequences(stream.read('s', null, 10))).toEqual(['8'])
  })

  test('a read without entries at the end of its time is UNAVAILABLE, not empty', async () => {
    const { stream, mock } = setUp({ readMs: 100 })
    mock.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i1' })
    mock.on(GetRecordsCommand).rejects(slowDown)
    await expect(stream.read('s', null, 10)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a read with some entries at the end of its time returns them', async () => {
    const { stream, mock } = setUp({ readMs: 100 })
    mock.on(GetShardIteratorCommand).resolves({ ShardIterator: 'i1' })
    mock
      .on(GetRecordsCommand)
      .resolvesOnce({ Records: [record('7')], NextShardIterator: 'i2', MillisBehindLatest: 10 })
      .rejects(slowDown)
    expect(await sequences(stream.read('s', null, 10))).toEqual(['7'])
  })

  test('shards lists all pages', async () => {
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
