import { expect, test } from 'vitest'
import { identityKey } from '#core/lake/model/keys'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOUR = 3_600_000
const SECOND_SHARD = 'sl'

/** A reshard has closed s0, whose records are in the lake and no longer in the stream. */
async function pipelineAfterReshard() {
  const pipeline = createLakePipeline({ epochFiles: 1 })
  const { stream, state, clock } = pipeline
  await pipeline.acceptAndConsume('a')
  await pipeline.settle()
  const first = stream.byName.get('s0')
  if (first === undefined) throw new Error('s0 does not exist')
  Object.assign(first, { open: false, gone: true })
  stream.byName.set(SECOND_SHARD, { entries: [], open: true })
  await state.addShard(SECOND_SHARD)
  const names = async () => (await state.shards()).map(({ shard }) => shard)
  /** Lets hours pass. Another shard gets events, because an epoch is closed only after events. */
  const wait = async (hours: number) => {
    for (let passed = 0; passed < hours; passed += 4) {
      clock.time += 4 * HOUR
      await pipeline.settleIgnoringFailures()
      if (passed > 0) continue
      stream.accept(SECOND_SHARD, eventsRecord([`at ${clock.time}`], clock.time))
      await pipeline.consumer.consume(SECOND_SHARD)
    }
  }
  return { ...pipeline, first, names, wait }
}

test('a shard that the stream has not had for a day gets no write for an epoch any more', async () => {
  const { state, names, wait, logged } = await pipelineAfterReshard()
  const { highWater } = await state.shard('s0')
  expect(await names()).toEqual(['s0', SECOND_SHARD])
  await wait(60)
  expect(await names()).toEqual([SECOND_SHARD])
  expect(logged.filter(code => code === 'SHARD_RETIRED')).toHaveLength(1)
  expect(await state.shard('s0')).toMatchObject({ epoch: null, highWater })
})

test.each([
  [
    'has an open claim',
    async ({ state }: Opened) => {
      const { highWater, epoch } = await state.shard('s0')
      const claim = { first: '200000000000000000000', last: '200000000000000000001', epoch: epoch ?? 0 }
      expect(await state.claim('s0', claim, highWater, 0)).toBe(true)
    },
  ],
  [
    'has identify requests that are not folded',
    ({ lake }: Opened) => lake.put(identityKey('s0', { first: '1', last: '1', epoch: 1 }), new Uint8Array()),
  ],
  [
    'has events that some bucket has not compacted',
    async ({ compactor }: Opened) => {
      const { compactEpoch } = compactor
      compactor.compactEpoch = async job =>
        (await compactEpoch(job)).map(result =>
          result.bucket === 5 ? { bucket: 5, failure: new Error('broken') } : result,
        )
    },
  ],
  [
    'has an arrival that is ahead of the clock',
    ({ state, clock }: Opened) => state.noteArrivalAhead('s0', clock.time + 400 * HOUR),
  ],
  [
    'is in the stream',
    async ({ first }: Opened) => {
      first.gone = false
    },
  ],
])('a shard that %s is not retired', async (_, prepare) => {
  const opened = await pipelineAfterReshard()
  await prepare(opened)
  await opened.wait(60)
  expect(await opened.names()).toEqual(['s0', SECOND_SHARD])
})

test('a consumer that still has a batch of a retired shard stores nothing twice, and the shard is listed again', async () => {
  const { first, consumer, wait, names, keys } = await pipelineAfterReshard()
  await wait(60)
  const before = keys('hot/')
  await consumer.consumeBatch('s0', first.entries)
  expect(keys('hot/')).toEqual(before)
  expect(await names()).toEqual(['s0', SECOND_SHARD])
  await wait(8)
  expect(await names()).toEqual([SECOND_SHARD])
})

test('records of a stream that was made anew with the same names come after those of before, in the newest epoch', async () => {
  const { stream, state, consumer, wait, accept, acceptAndConsume } = await pipelineAfterReshard()
  await wait(60)
  Object.assign(stream.byName.get('s0') ?? {}, { open: true, gone: false })
  accept('b')
  expect(await consumer.consume('s0')).toBe(1)
  const { epoch } = await state.lake()
  expect((await state.shard('s0')).epoch).toBe(epoch)
  await acceptAndConsume('c')
  await wait(60)
  expect((await state.manifest(1)).segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(5)
})

type Opened = Awaited<ReturnType<typeof pipelineAfterReshard>>
