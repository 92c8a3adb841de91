import { expect, test } from 'vitest'
import { utcDate } from '#core/time'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'

const HOT = 'hot/epoch=1/s0-100000000000000000001-100000000000000000003.parquet'

test('new records of a shard are stored in one hot file with their range in its name, and highWater advances', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  pipeline.accept('b', 'c')
  expect(await pipeline.consumer.consume('s0')).toBe(2)
  expect(pipeline.keys('hot/')).toEqual([HOT])
  expect(pipeline.lake.rows(HOT).map(row => row.id)).toEqual(['a', 'b', 'c'])
  expect(await pipeline.state.shard('s0')).toMatchObject({
    highWater: '100000000000000000003',
    claim: null,
    epoch: 1,
  })
  expect(await pipeline.consumer.consume('s0')).toBe(0)
})

test('an open claim is finished with exactly its range, also if the batch has fewer records', async () => {
  const pipeline = createLakePipeline()
  for (const name of ['a', 'b', 'c']) pipeline.accept(name)
  const { entries } = pipeline.stream.byName.get('s0') as {
    entries: { sequence: string; data: Uint8Array }[]
  }
  await pipeline.state.addShard('s0')
  await pipeline.state.joinEpoch('s0', 1)
  const claim = { first: entries[0]?.sequence as string, last: entries[1]?.sequence as string, epoch: 1 }
  await pipeline.state.claim('s0', claim, null, 1)
  await pipeline.consumer.consumeBatch('s0', entries.slice(0, 1))
  expect(pipeline.keys('hot/')).toEqual([`hot/epoch=1/s0-${claim.first}-${claim.last}.parquet`])
  await pipeline.consumer.consumeBatch('s0', entries)
  expect(pipeline.keys('hot/').flatMap(key => pipeline.lake.rows(key).map(row => row.id))).toEqual([
    'a',
    'b',
    'c',
  ])
})

test('a record that cannot be read is quarantined with its bytes and the reason, and the other records are stored', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  pipeline.stream.accept('s0', null)
  pipeline.accept('b')
  await pipeline.consumer.consume('s0')
  const [key] = pipeline.keys('quarantine/') as [string]
  const line = JSON.parse(Buffer.from(pipeline.lake.objects.get(key) as Uint8Array).toString())
  expect(Buffer.from(line.data, 'base64').toString()).toBe('unreadable')
  expect(line.reason).toContain('unknown packing')
  expect(pipeline.keys('hot/').flatMap(hot => pipeline.lake.rows(hot).map(row => row.id))).toEqual(['a', 'b'])
  expect(pipeline.logged).toContain('RECORD_QUARANTINED')
})

test('a hot file is not replaced by one with fewer records after the stream has lost some', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  pipeline.accept('b')
  await pipeline.consumer.consume('s0')
  const before = pipeline.state.save()
  before.shards.set('s0', {
    shard: 's0',
    highWater: null,
    epoch: 1,
    claim: { first: '100000000000000000001', last: '100000000000000000003', epoch: 1 },
    claimedAt: 1,
  })
  pipeline.state.restore(before)
  pipeline.stream.byName.get('s0')?.entries.splice(0, 1)
  await pipeline.consumer.consume('s0')
  expect(pipeline.lake.rows(HOT).map(row => row.id)).toEqual(['a', 'b'])
  expect(pipeline.logged).toContain('RECORDS_MISSING')
})

test('a claim takes at most CLAIM_BYTES, and the next claim takes the rest', async () => {
  const pipeline = createLakePipeline()
  const { entries } = pipeline.stream.byName.get('s0') as {
    entries: { sequence: string; data: Uint8Array; at: bigint; ids: string[] }[]
  }
  for (let i = 1; i <= 5; i++)
    entries.push({ sequence: String(i), at: BigInt(i), ids: [], data: new Uint8Array(10_000_000) })
  expect([
    await pipeline.consumer.consume('s0'),
    await pipeline.consumer.consume('s0'),
    await pipeline.consumer.consume('s0'),
  ]).toEqual([2, 2, 1])
})

test('the size of a claim counts unpacked bytes, however well the records compress', async () => {
  const pipeline = createLakePipeline()
  const text = 'a'.repeat(7_800)
  for (let i = 0; i < 60; i++) {
    const names = Array.from({ length: 100 }, () => 'e')
    pipeline.stream.accept('s0', eventsRecord(names, pipeline.clock.time, { properties: { text } }))
  }
  const packed = pipeline.stream.byName.get('s0')?.entries.reduce((sum, { data }) => sum + data.length, 0)
  expect(packed).toBeLessThan(100_000)
  const claimSizes: number[] = []
  while (claimSizes.at(-1) !== 0) claimSizes.push(await pipeline.consumer.consume('s0'))
  expect(claimSizes).toEqual([30, 30, 0])
})

test('a record that its producer appended twice is stored and counted once', async () => {
  const pipeline = createLakePipeline()
  const record = eventsRecord(['a', 'b'], pipeline.clock.time)
  const other = eventsRecord(['a', 'b'], pipeline.clock.time)
  for (const each of [record, other, record]) pipeline.stream.accept('s0', each)
  expect(await pipeline.consumer.consume('s0')).toBe(3)
  expect([...pipeline.claimed.values()]).toEqual([[expect.objectContaining({ events: 4 })]])
  expect((await pipeline.state.shard('s0')).highWater).toBe(
    pipeline.stream.byName.get('s0')?.entries.at(-1)?.sequence,
  )
})

test('a batch fails while another consumer holds its shard, so that the stream delivers it again', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  const { entries } = pipeline.stream.byName.get('s0') as {
    entries: { sequence: string; data: Uint8Array }[]
  }
  pipeline.state.claim = async () => false
  await expect(pipeline.consumer.consumeBatch('s0', entries)).rejects.toThrow(
    'Another consumer holds shard s0',
  )
})

test('a project with event_ids is noted as such before its hot file is written', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  await pipeline.consumer.consume('s0')
  expect(pipeline.projectsWithEventIds).toEqual([])
  pipeline.stream.accept('s0', eventsRecord(['b', 'c'], pipeline.clock.time, { event_id: 'e' }))
  const put = pipeline.lake.put
  pipeline.lake.put = async (...object) => {
    expect(pipeline.projectsWithEventIds).toEqual(['proj_1'])
    await put(...object)
  }
  await pipeline.consumer.consume('s0')
  expect(pipeline.keys('hot/')).toHaveLength(2)
})

test('the events of a claim are counted by project with its account and bucket, also if the claim is finished twice', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a', 'b')
  await pipeline.consumer.consume('s0')
  const highWater = (await pipeline.state.shard('s0')).highWater as string
  await pipeline.consumer.finishClaim('s0', { first: highWater, last: highWater, epoch: 1 }, null)
  const { time } = pipeline.clock
  const times = { first: time, last: time }
  const day = utcDate(time)
  expect([...pipeline.claimed]).toEqual([
    [`s0 ${highWater}`, [{ project_id: 'proj_1', account_id: 'acct_1', bucket: 1, day, events: 2, times }]],
  ])
})
