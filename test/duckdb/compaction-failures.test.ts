import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { userHash } from '#core/lake/erase/tombstones'
import type { CompactedBucket } from '#core/lake/model/compactor'
import { hotKey, tombstoneKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import { DamagedObject } from '#duckdb/damaged'
import { writeBatch } from '#test/support/add-erasure'
import { NOTHING_BEFORE, openCompactorLake, request } from '#test/support/compactor-lake'
import { damageParquet } from '#test/support/damage-parquet'

const withoutIds = (bucket: number) => ({ bucket, eventIds: [], ...NOTHING_BEFORE })

function segmentOf(result: CompactedBucket | undefined): Segment | null {
  if (result === undefined || 'failure' in result) throw result?.failure
  return result.segment
}

test.each([
  ['cut off', (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 20)],
  ['overwritten', damageParquet],
  ['empty', () => new Uint8Array()],
])(
  'a hot file that is %s stops the compaction with an error that names it, and nothing is written',
  async (_, damage) => {
    const { compactor, writeHot, lake, logged, keys, tempDir } = await openCompactorLake()
    const hot = [await writeHot(1, [request({})]), await writeHot(1, [request({})])]
    const [, second = { key: '' }] = hot
    await lake.put(second.key, damage((await lake.get(second.key)) as Uint8Array))
    const compaction = compactor.compactEpoch({ epoch: 1, hot, buckets: [withoutIds(7)] })
    await expect(compaction).rejects.toThrow(DamagedObject)
    await expect(compaction).rejects.toMatchObject({ key: second.key })
    expect(logged).toContain('LAKE_OBJECT_DAMAGED')
    expect(await keys('segments/')).toEqual([])
    expect(await readdir(tempDir)).toEqual([])
  },
)

test('a bucket whose stored event_ids are missing or damaged fails alone, with an error that names the file', async () => {
  const { compactor, writeHot, lake, readSegment } = await openCompactorLake()
  const hot = [
    await writeHot(
      2,
      [1, 2, 3].map(bucket => request({ bucket, events: [{ event_id: 'e' }] })),
    ),
  ]
  const keyOf = (bucket: number) => `segments/event-ids/bucket=${bucket}/1-2-0-0.parquet`
  await lake.put(keyOf(1), new Uint8Array(100))
  const buckets = [
    { bucket: 1, eventIds: [keyOf(1)], ...NOTHING_BEFORE },
    { bucket: 2, eventIds: [keyOf(2)], ...NOTHING_BEFORE },
    { bucket: 3, eventIds: [], ...NOTHING_BEFORE },
  ]
  const results = await compactor.compactEpoch({ epoch: 2, hot, buckets })
  expect(results.slice(0, 2)).toMatchObject([
    { bucket: 1, failure: { name: 'DamagedObject', key: keyOf(1) } },
    { bucket: 2, failure: { name: 'DamagedObject', key: keyOf(2) } },
  ])
  expect(await readSegment('segment_events', segmentOf(results[2]), 3)).toHaveLength(1)
})

test.each([
  ['missing', null],
  ['damaged', new Uint8Array(100)],
])(
  'a bucket whose file of tombstones is %s fails alone, and the erasures of others hold',
  async (_, bytes) => {
    const { compactor, writeHot, lake, readSegment, logged } = await openCompactorLake()
    const hot = [
      await writeHot(
        1,
        [1, 2, 3].map(bucket =>
          request({
            bucket,
            project: `proj_${bucket}`,
            events: [{ user_id: 'erased' }, { user_id: 'kept' }],
          }),
        ),
      ),
    ]
    const erase = (bucket: number) =>
      writeBatch(lake, { bucket, project_id: `proj_${bucket}`, users: [userHash('erased')], until: 2 ** 50 })
    const [first, second] = [await erase(1), await erase(2)]
    const key = tombstoneKey(1, first)
    if (bytes === null) await lake.delete([key])
    else await lake.put(key, bytes)
    const results = await compactor.compactEpoch({
      epoch: 1,
      hot,
      buckets: [
        { ...withoutIds(1), generation: 1, tombstones: [first] },
        { ...withoutIds(2), generation: 1, tombstones: [second] },
        withoutIds(3),
      ],
    })
    expect(results[0]).toMatchObject({ bucket: 1, failure: { name: 'DamagedObject', key } })
    expect(logged).toContain('LAKE_OBJECT_DAMAGED')
    const users = async (i: number, bucket: number) =>
      (await readSegment('segment_events', segmentOf(results[i]), bucket)).map(row => row.user_id)
    expect(await users(1, 2)).toEqual(['kept'])
    expect(await users(2, 3)).toHaveLength(2)
  },
)

test('a bucket whose object cannot be written fails alone, and the file of its events is not written', async () => {
  const refused = new Error('no room')
  const { compactor, writeHot, keys } = await openCompactorLake({ sliceBytes: 1 }, lake => ({
    ...lake,
    put: async (key, bytes) => {
      if (key === 'segments/activity/bucket=1/1-2-0-1.parquet') throw refused
      await lake.put(key, bytes)
    },
  }))
  const hot = []
  for (let file = 0; file < 3; file++) {
    hot.push(await writeHot(1, [request({ bucket: 1 }), request({ bucket: 2 })]))
  }
  const results = await compactor.compactEpoch({ epoch: 1, hot, buckets: [1, 2].map(withoutIds) })
  expect(results[0]).toEqual({ bucket: 1, failure: refused })
  expect(segmentOf(results[1])).toMatchObject({ parts: 3, rows: 3 })
  expect(await keys('segments/events/bucket=1/')).toEqual(['segments/events/bucket=1/1-2-0-0.parquet'])
})

test('a missing hot file stops the compaction with an error that names it', async () => {
  const { compactor } = await openCompactorLake()
  const key = hotKey('0', { first: '1', last: '2', epoch: 1 })
  const job = { epoch: 1, hot: [{ key, size: 100 }], buckets: [withoutIds(7)] }
  await expect(compactor.compactEpoch(job)).rejects.toMatchObject({ name: 'DamagedObject', key })
})
