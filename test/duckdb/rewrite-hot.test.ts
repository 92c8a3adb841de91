import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, test } from 'vitest'
import { eventKey } from '#core/lake/consume/id-keys'
import { userHash } from '#core/lake/erase/tombstones'
import type { Lake } from '#core/ports'
import { writeBatch } from '#test/support/add-erasure'
import { HOUR, keysOf, openCompactorLake, request, START } from '#test/support/compactor-lake'
import { withoutColumns } from '#test/support/old-files'

/** A lake that notes the keys of hot files that are read as a whole, and of those that are written. */
async function openNotedLake() {
  const read: string[] = []
  const written: string[] = []
  const noted = (lake: Lake): Lake => ({
    ...lake,
    get(key, last) {
      if (key.startsWith('hot/') && last === undefined) read.push(key)
      return lake.get(key, last)
    },
    put(key, bytes) {
      if (key.startsWith('hot/')) written.push(key)
      return lake.put(key, bytes)
    },
  })
  const opened = await openCompactorLake({}, noted)
  /** Writes a hot file with events of these users, as long as `project` does not say another one. */
  const store = async (users: string[], project = 'proj_1') => {
    const events = users.map(user_id => ({ user_id, event: `by ${user_id}` }))
    const { key } = await opened.writeHot(1, [request({ project, events })])
    return key
  }
  const erase = async (users: string[] | null, project_id = 'proj_1') => {
    const hashes = users?.map(userHash) ?? null
    const batch = await writeBatch(opened.lake, { project_id, users: hashes, until: START })
    const keys = await opened.keys('hot/')
    read.length = 0
    written.length = 0
    const files = await opened.compactor.rewriteHot({ keys, buckets: [{ bucket: 7, tombstones: [batch] }] })
    expect(files).toBe(written.length)
    return { read: read.splice(0), written: written.splice(0) }
  }
  return { ...opened, store, erase }
}

test('an erasure reads and writes the hot files of the person, and of nobody else', async () => {
  const { store, erase, keys } = await openNotedLake()
  const ofAnna = await store(['anna', 'bert'])
  for (let i = 0; i < 5; i++) await store(['bert', `user ${i}`])
  await store(['anna'], 'proj_2')
  expect(await erase(['anna'])).toEqual({ read: [ofAnna], written: [ofAnna] })
  expect(await keys('hot/')).toHaveLength(7)
})

test('a file that was written anew says whose events it still has', async () => {
  const { store, erase } = await openNotedLake()
  const file = await store(['anna', 'bert'])
  await erase(['anna'])
  expect(await erase(['anna'])).toEqual({ read: [], written: [] })
  expect(await erase(['bert'])).toEqual({ read: [file], written: [file] })
  expect(await erase(null)).toEqual({ read: [], written: [] })
})

test('an erasure of a project takes the files of all its users, and of those without one', async () => {
  const { store, erase } = await openNotedLake()
  const files = [await store(['anna']), await store(['bert'])]
  await store(['carl'], 'proj_2')
  expect(await erase(null)).toEqual({ read: files, written: files })
})

test('a hot file whose end is damaged is read as a whole', async () => {
  const { lake, store, erase } = await openNotedLake()
  const files: string[] = []
  for (const before of [4, 8, 12]) {
    const key = await store(['anna'])
    const bytes = Buffer.from((await lake.get(key)) as Uint8Array)
    bytes.writeUInt8(0xff, bytes.lastIndexOf('FFU1') - before + 3)
    await lake.put(key, bytes)
    files.push(key)
  }
  expect((await erase(['anna'])).read.toSorted()).toEqual(files)
})

test('a hot file of a version before these ends is read as a whole', async () => {
  const { lake, store, erase } = await openNotedLake()
  const files = [await store(['anna']), await store(['bert'])]
  for (const key of files)
    await lake.put(key, await withoutColumns(key, (await lake.get(key)) as Uint8Array, ['lag_ms']))
  const { read, written } = await erase(['anna'])
  expect([read, written]).toEqual([files, files.slice(0, 1)])
})

test('events of the person that arrived after the erasure stay', async () => {
  const { lake, store, erase, keys, compactor } = await openNotedLake()
  const file = await store(['anna'])
  const batch = await writeBatch(lake, {
    project_id: 'proj_1',
    users: [userHash('anna')],
    until: START - 1,
  })
  const job = { keys: await keys('hot/'), buckets: [{ bucket: 7, tombstones: [batch] }] }
  expect(await compactor.rewriteHot(job)).toBe(0)
  expect((await erase(['anna'])).written).toEqual([file])
})

test('a file that was deleted since it was listed is left out', async () => {
  const { lake, store, compactor, keys } = await openNotedLake()
  const gone = await store(['anna'])
  await store(['anna'])
  const listed = await keys('hot/')
  await lake.delete([gone])
  const batch = await writeBatch(lake, { project_id: 'proj_1', users: [userHash('anna')], until: START })
  expect(await compactor.rewriteHot({ keys: listed, buckets: [{ bucket: 7, tombstones: [batch] }] })).toBe(1)
})

test('of an erased event with an event_id only that stays which makes copies of it known', async () => {
  const { lake, store, erase, writeHot } = await openNotedLake()
  const { key } = await writeHot(1, [
    request({
      ...{ at: START, seq: 7 },
      events: [
        { user_id: 'anna', event_id: 'a', timestamp: START - 5, properties: { path: '/anna' } },
        { user_id: 'anna' },
        { user_id: 'bert', event_id: 'b' },
      ],
    }),
  ])
  await store(['carl'])
  expect((await erase(['anna'])).written).toEqual([key])
  const bytes = new Uint8Array((await lake.get(key)) ?? []).buffer
  const rows = await parquetReadObjects({ file: bytes, compressors })
  const hasValue = ([, value]: [string, unknown]) => value != null
  expect(rows.map(row => row.user_id)).toEqual(['bert', null])
  expect(Object.fromEntries(Object.entries(rows[1] ?? {}).filter(hasValue))).toEqual({
    ...{ bucket: 7n, project_id: 'proj_1', timestamp: new Date(START - 5), lag_s: 1n, lag_ms: 5n, seq: 7n },
    event_key: eventKey('proj_1', 'a'),
  })
  // Nothing of it is left to erase.
  expect(await erase(['anna'])).toEqual({ read: [], written: [] })
})

test('a compaction that runs again finds the event_ids of erased events, and writes nothing else of them', async () => {
  const { erase, writeHot, compact, readSegment } = await openNotedLake()
  const sent = { user_id: 'anna', event_id: 'a', session_id: 'of anna' }
  await writeHot(1, [request({ events: [sent, { user_id: 'bert', event_id: 'b', session_id: 'of bert' }] })])
  const ids = await readSegment('segment_event_ids', await compact(1))
  await erase(['anna'])
  const again = await compact(1, { generation: 1 })
  expect(again).toMatchObject({ rows: 1, eventIds: 2 })
  expect(await readSegment('segment_event_ids', again)).toEqual(ids)
  for (const table of ['segment_events', 'segment_sessions', 'segment_activity'] as const)
    expect(await readSegment(table, again)).toHaveLength(1)
  await writeHot(2, [request({ at: START + HOUR, events: [sent, { ...sent, event_id: 'c' }] })])
  const eventIds = keysOf(again ?? expect.unreachable()).filter(key => key.includes('/event-ids/'))
  expect(await compact(2, { generation: 1, eventIds })).toMatchObject({ rows: 1, eventIds: 1 })
})

test('the hot file of a project of which everything is erased compacts to event_ids alone', async () => {
  const { erase, writeHot, compact } = await openNotedLake()
  await writeHot(1, [request({ events: [{ event_id: 'a' }, { event_id: 'b' }] })])
  await erase(null)
  expect(await erase(null)).toEqual({ read: [], written: [] })
  expect(await compact(1, { generation: 1 })).toMatchObject({ rows: 0, eventIds: 2 })
})
