import { expect, test } from 'vitest'
import { eventsRecord, lakeWorld } from '#test/support/lake-world'

const HOT = 'hot/epoch=1/s0-100000000000000000001-100000000000000000003.parquet'

test('new records of a shard are stored in one hot file with their range in its name, and highWater advances', async () => {
  const world = lakeWorld()
  world.accept('a')
  world.accept('b', 'c')
  expect(await world.consumer.consume('s0')).toBe(2)
  expect(world.keys('hot/')).toEqual([HOT])
  expect(world.lake.rows(HOT).map(row => row.id)).toEqual(['a', 'b', 'c'])
  expect(await world.state.shard('s0')).toMatchObject({
    highWater: '100000000000000000003',
    claim: null,
    epoch: 1,
  })
  expect(await world.consumer.consume('s0')).toBe(0)
})

test('an open claim is finished with exactly its range, also if the batch has fewer records', async () => {
  const world = lakeWorld()
  for (const name of ['a', 'b', 'c']) world.accept(name)
  const { entries } = world.stream.byName.get('s0') as { entries: { sequence: string; data: Uint8Array }[] }
  await world.state.addShard('s0')
  await world.state.joinEpoch('s0', 1)
  const claim = { first: entries[0]?.sequence as string, last: entries[1]?.sequence as string, epoch: 1 }
  await world.state.claim('s0', claim, null, 1)
  await world.consumer.consumeBatch('s0', entries.slice(0, 1))
  expect(world.keys('hot/')).toEqual([`hot/epoch=1/s0-${claim.first}-${claim.last}.parquet`])
  await world.consumer.consumeBatch('s0', entries)
  expect(world.keys('hot/').flatMap(key => world.lake.rows(key).map(row => row.id))).toEqual(['a', 'b', 'c'])
})

test('a record that cannot be read is quarantined with its bytes and the reason, and the other records are stored', async () => {
  const world = lakeWorld()
  world.accept('a')
  world.stream.accept('s0', null)
  world.accept('b')
  await world.consumer.consume('s0')
  const [key] = world.keys('quarantine/') as [string]
  const line = JSON.parse(Buffer.from(world.lake.objects.get(key) as Uint8Array).toString())
  expect(Buffer.from(line.data, 'base64').toString()).toBe('unreadable')
  expect(line.reason).toContain('unknown packing')
  expect(world.keys('hot/').flatMap(hot => world.lake.rows(hot).map(row => row.id))).toEqual(['a', 'b'])
  expect(world.logged).toContain('RECORD_QUARANTINED')
})

test('a hot file is not replaced by one with fewer records after the stream has lost some', async () => {
  const world = lakeWorld()
  world.accept('a')
  world.accept('b')
  await world.consumer.consume('s0')
  const before = world.state.save()
  before.shards.set('s0', {
    shard: 's0',
    highWater: null,
    epoch: 1,
    claim: { first: '100000000000000000001', last: '100000000000000000003', epoch: 1 },
    claimedAt: 1,
  })
  world.state.restore(before)
  world.stream.byName.get('s0')?.entries.splice(0, 1)
  await world.consumer.consume('s0')
  expect(world.lake.rows(HOT).map(row => row.id)).toEqual(['a', 'b'])
  expect(world.logged).toContain('RECORDS_MISSING')
})

test('a claim takes at most CLAIM_BYTES, and the next claim takes the rest', async () => {
  const world = lakeWorld()
  const { entries } = world.stream.byName.get('s0') as {
    entries: { sequence: string; data: Uint8Array; at: bigint; ids: string[] }[]
  }
  for (let i = 1; i <= 5; i++)
    entries.push({ sequence: String(i), at: BigInt(i), ids: [], data: new Uint8Array(10_000_000) })
  expect([
    await world.consumer.consume('s0'),
    await world.consumer.consume('s0'),
    await world.consumer.consume('s0'),
  ]).toEqual([2, 2, 1])
})

test('the size of a claim counts unpacked bytes, however well the records compress', async () => {
  const world = lakeWorld()
  const text = 'a'.repeat(7_800)
  for (let i = 0; i < 60; i++) {
    const names = Array.from({ length: 100 }, () => 'e')
    world.stream.accept('s0', eventsRecord(names, world.clock.time, { properties: { text } }))
  }
  const packed = world.stream.byName.get('s0')?.entries.reduce((sum, { data }) => sum + data.length, 0)
  expect(packed).toBeLessThan(100_000)
  const claimSizes: number[] = []
  while (claimSizes.at(-1) !== 0) claimSizes.push(await world.consumer.consume('s0'))
  expect(claimSizes).toEqual([30, 30, 0])
})

test('a record that its producer appended twice is stored and counted once', async () => {
  const world = lakeWorld()
  const record = eventsRecord(['a', 'b'], world.clock.time)
  const other = eventsRecord(['a', 'b'], world.clock.time)
  for (const each of [record, other, record]) world.stream.accept('s0', each)
  expect(await world.consumer.consume('s0')).toBe(3)
  expect(world.counted.get('proj_1 s0')?.events).toBe(4)
  expect((await world.state.shard('s0')).highWater).toBe(
    world.stream.byName.get('s0')?.entries.at(-1)?.sequence,
  )
})

test('a batch fails while another consumer holds its shard, so that the stream delivers it again', async () => {
  const world = lakeWorld()
  world.accept('a')
  const { entries } = world.stream.byName.get('s0') as { entries: { sequence: string; data: Uint8Array }[] }
  world.state.claim = async () => false
  await expect(world.consumer.consumeBatch('s0', entries)).rejects.toThrow('Another consumer holds shard s0')
})

test('a project with event_ids is noted as such before its hot file is written', async () => {
  const world = lakeWorld()
  world.accept('a')
  await world.consumer.consume('s0')
  expect(world.senders).toEqual([])
  world.stream.accept('s0', eventsRecord(['b', 'c'], world.clock.time, { event_id: 'e' }))
  const put = world.lake.put
  world.lake.put = async (...object) => {
    expect(world.senders).toEqual(['proj_1'])
    await put(...object)
  }
  await world.consumer.consume('s0')
  expect(world.keys('hot/')).toHaveLength(2)
})

test('events are counted once for the project and once for its account, also if a claim is finished twice', async () => {
  const world = lakeWorld()
  world.accept('a', 'b')
  await world.consumer.consume('s0')
  const highWater = (await world.state.shard('s0')).highWater as string
  await world.consumer.finishClaim('s0', { first: highWater, last: highWater, epoch: 1 }, null)
  expect([...world.counted].map(([owner, item]) => [owner, item.events])).toEqual([
    ['proj_1 s0', 2],
    ['acct_1 s0', 2],
  ])
})
