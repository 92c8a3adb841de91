import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKinesisClient } from '#aws/clients'
import { createKinesisStream } from '#aws/stream'
import { type Gate, startGate } from '#rehearsal/gate'
import { type EmulatedKinesis, nobody, startKinesis } from '#test/support/emulators'

let kinesis: EmulatedKinesis
let gate: Gate
beforeAll(async () => {
  kinesis = await startKinesis()
  gate = await startGate()
  gate.leadTo(kinesis.endpoint)
})
afterAll(async () => {
  await gate?.stop()
  await kinesis?.stop()
})

/** The service's own adapter, through the gate, on a stream of one shard. */
async function newStream() {
  const streamArn = await kinesis.createStream(1)
  const client = createKinesisClient({ endpoint: gate.endpoint, ...nobody })
  const quick = { appendMs: 500, appendBackoff: { baseMs: 1, maxMs: 20 } }
  const stream = createKinesisStream({ client, streamArn, log: () => {}, ...quick })
  const [shard = ''] = await stream.shards()
  const stored = async () =>
    (await stream.read(shard, null, 100)).map(({ data }) => Buffer.from(data).toString())
  return { append: (text: string) => stream.append([Buffer.from(text)]), stored }
}

test('without a fault everything passes', async () => {
  const { append, stored } = await newStream()
  await append('a')
  await append('b')
  expect(await stored()).toEqual(['a', 'b'])
})

test('a short throttling is a retry, and nothing is there twice', async () => {
  const { append, stored } = await newStream()
  gate.setFault('throttle', 3)
  await append('a')
  expect([gate.hits(), await stored()]).toEqual([3, ['a']])
})

test('a long throttling is UNAVAILABLE, and nothing is there', async () => {
  const { append, stored } = await newStream()
  gate.setFault('throttle')
  await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  gate.setFault('none')
  expect(await stored()).toEqual([])
})

test('a lost answer is a retry of what has arrived: it is there twice', async () => {
  const { append, stored } = await newStream()
  gate.setFault('lose answer', 1)
  await append('a')
  expect(await stored()).toEqual(['a', 'a'])
})
