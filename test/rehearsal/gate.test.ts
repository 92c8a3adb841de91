import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createKinesisClient } from '#aws/clients'
import { createKinesisStream } from '#aws/stream'
import { type Gate, startGate } from '#rehearsal/gate'
import { EMULATOR_ACCESS, type EmulatedKinesis, startKinesis } from '#test/support/emulators'

let kinesis: EmulatedKinesis
let gate: Gate
beforeAll(async () => {
  kinesis = await startKinesis()
  gate = await startGate()
  gate.forwardTo(kinesis.endpoint)
})
afterEach(() => gate.setFault('none'))
afterAll(async () => {
  await gate?.stop()
  await kinesis?.stop()
})

/** Creates a stream with one shard, and the service's own adapter for it, which goes through the gate. */
async function newStream() {
  const streamArn = await kinesis.createStream(1)
  const client = createKinesisClient({ endpoint: gate.endpoint, ...EMULATOR_ACCESS })
  const fastRetries = { appendMs: 500, appendBackoff: { baseMs: 1, maxMs: 20 } }
  const stream = createKinesisStream({ client, streamArn, log: () => {}, ...fastRetries })
  const [shard = ''] = await stream.shards()
  const stored = async () =>
    (await stream.read(shard, null, 100)).map(({ data }) => Buffer.from(data).toString())
  return { append: (text: string) => stream.append([Buffer.from(text)]), stored }
}

test('without a fault, records arrive once', async () => {
  const { append, stored } = await newStream()
  await append('a')
  await append('b')
  expect(await stored()).toEqual(['a', 'b'])
})

test('after a short throttling, the retry stores the record once', async () => {
  const { append, stored } = await newStream()
  gate.setFault('throttle', 3)
  await append('a')
  expect([gate.faultCount(), await stored()]).toEqual([3, ['a']])
})

test('a long throttling is UNAVAILABLE, and nothing is stored', async () => {
  const { append, stored } = await newStream()
  gate.setFault('throttle')
  await expect(append('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  // The fault stays on here, because the last try may still be on its way on a busy machine.
  expect(await stored()).toEqual([])
})

test('after a lost response, the retry stores the record a second time', async () => {
  const { append, stored } = await newStream()
  gate.setFault('lose response', 1)
  await append('a')
  expect(await stored()).toEqual(['a', 'a'])
})
