import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, onTestFinished, test } from 'vitest'
import { userHash } from '#core/lake/erase/tombstones'
import { events } from '#core/lake/read/relations'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { sql } from '#core/sql/sql'
import { createFolderLake } from '#local/lake/folder'
import { testProject } from '#test/support/account-fixtures'
import { writeBatch } from '#test/support/add-erasure'
import { buildLake, type EventsRecord } from '#test/support/build-lake'
import { openCompactorLake, request as requestOf } from '#test/support/compactor-lake'
import { lakeWithNewerFiles, lakeWithOldFiles } from '#test/support/old-files'
import { openTestEngine } from '#test/support/test-engine'

const NOW = Date.parse('2026-11-18T12:00:00Z')
const project = testProject({ bucket: 7, created_at: '2026-11-01T00:00:00Z', has_event_ids: true })

/** Two columns that the service fills, and two that hold a property. */
const ADDED_COLUMNS = ['country', 'event_id', 'first_utm_term', 'session_count'] as const

/** A request with one event. Before the columns were added, their values were null. */
function request(event: string, time: 'before' | 'after', seq: number): EventsRecord {
  const isAfter = time === 'after'
  return {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: NOW,
    seq,
    country: isAfter ? 'DE' : null,
    events: [
      {
        event,
        properties: isAfter ? { first_utm_term: 'shoes', session_count: 3, plan: 'pro' } : { plan: 'pro' },
        user_id: 'u1',
        session_id: 's1',
        timestamp: NOW,
        event_id: isAfter ? event : null,
      },
    ],
  }
}

/** Epochs 1 to 3: only old files, an old file beside a new one, only new files. */
const epochs = [
  [[request('old 1', 'before', 1)]],
  [[request('old 2', 'before', 2)], [request('new 2', 'after', 3)]],
  [[request('new 3', 'after', 4)]],
]
const valuesBefore = { country: null, event_id: null, first_utm_term: null, session_count: null }
const valuesAfter = { country: 'DE', first_utm_term: 'shoes', session_count: 3 }

/** Keys of files whose events are all from before the columns were added. */
const OLD_KEYS = {
  hot: /^hot\/epoch=(1\/|2\/0-0-0)/,
  segment: /^segments\/.*\/1-2-0-0\.parquet$/,
  'merged segment': /^segments\/.*\/1-3-0-0\.parquet$/,
}

/** Columns that these files lacked too: a rollup had no pages, and hot files had no event_key. */
const OTHER_COLUMNS = ['event_key', 'entry_page', 'entry_at', 'entry_lag_s'] as const

test.each([
  { files: 'hot', compaction: {} },
  { files: 'hot', compaction: { compacted: 2 } },
  { files: 'hot', compaction: { compacted: 4 } },
  { files: 'hot', compaction: { compacted: 4, mergeEnds: [3] } },
  { files: 'segment', compaction: { compacted: 3 } },
  { files: 'segment', compaction: { compacted: 4, mergeEnds: [3] } },
  { files: 'segment', compaction: { compacted: 4, mergeEnds: [4] } },
  { files: 'merged segment', compaction: { compacted: 4, mergeEnds: [3] } },
] as const)(
  'old $files files without an added column are compacted, merged and read beside new ones: $compaction',
  async ({ files, compaction }) => {
    const dir = await mkdtemp(join(tmpdir(), 'footfall-added-column-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const lakeDir = join(dir, 'lake')
    const lake = lakeWithOldFiles(createFolderLake(lakeDir), [...ADDED_COLUMNS, ...OTHER_COLUMNS], key =>
      OLD_KEYS[files].test(key),
    )
    const { openLake, snapshot } = await buildLake({
      lake,
      tempDir: join(dir, 'temp'),
      epochs,
      ...compaction,
    })
    const engine = await openTestEngine({ lakeDir, tempDir: dir })
    onTestFinished(() => engine.close())
    const isOldMerge = files === 'merged segment'

    const read = { snapshot: await snapshot(project.bucket), project, from: NOW - 86_400_000, to: NOW + 1 }
    const relation = events(read, ['event', 'seq', 'properties', ...ADDED_COLUMNS])
    const rows =
      await engine.rows(sql`SELECT event, properties, country, event_id, first_utm_term, session_count
    FROM ${relation} AS each_event ORDER BY seq`)
    const properties = '{"plan":"pro"}'
    expect(rows).toEqual([
      { event: 'old 1', properties, ...valuesBefore },
      { event: 'old 2', properties, ...valuesBefore },
      { event: 'new 2', properties, ...(isOldMerge ? valuesBefore : { ...valuesAfter, event_id: 'new 2' }) },
      { event: 'new 3', properties, ...valuesAfter, event_id: 'new 3' },
    ])

    const services = { engine, openLake, clock: { now: () => NOW } }
    const body = await runReport(stats, services, { project, query: { groupBy: 'day' } })
    expect(body.totals).toEqual({ unique_users: 1, total_events: 4 })
    expect(body.sessions.total_sessions).toBe(1)
    const [fromGermany, unknown] = isOldMerge ? [1, 3] : [2, 2]
    expect(
      body.countries.toSorted((a, b) => Number(a.country === null) - Number(b.country === null)),
    ).toEqual([
      { country: 'DE', count: fromGermany, unique_users: 1 },
      { country: null, count: unknown, unique_users: 1 },
    ])
  },
)

test('a column of a newer version keeps its values when this version compacts, merges and erases after a rollback', async () => {
  const { compactor, compact, mergeSegments, lake, keys, readSegment, writeHot } = await openCompactorLake(
    {},
    folder => lakeWithNewerFiles(folder, 'newer'),
  )
  const at = Date.parse('2026-11-18T22:00:00Z')
  const users = (...ids: string[]) =>
    requestOf({ at, events: ids.map(user_id => ({ event: `by ${user_id}`, user_id })) })
  await writeHot(1, [users('anna', 'bert')])
  await writeHot(2, [users('carl')])
  const segments = [await compact(1), await compact(2)].filter(segment => segment !== null)
  const segment = await mergeSegments({
    bucket: 7,
    segments,
    target: { from: 1, until: 3, generation: 0 },
    older: [],
  })
  const erased = { project_id: 'proj_1', users: [userHash('anna')], until: at }
  const erasure = await writeBatch(lake, erased)
  const rewritten = await compactor.rewriteSegment({
    bucket: 7,
    segment,
    generation: 1,
    tombstones: [erasure],
  })
  const stored = await readSegment('segment_events', rewritten?.segment ?? null)
  expect(stored.map(({ newer }) => newer).toSorted()).toEqual(['by bert', 'by carl'])

  const [hot = expect.unreachable()] = await keys('hot/epoch=1/')
  await compactor.rewriteHot({ keys: [hot], buckets: [{ bucket: 7, tombstones: [erasure] }] })
  const rows = await parquetReadObjects({
    file: new Uint8Array((await lake.get(hot)) ?? []).buffer,
    compressors,
  })
  expect(rows.map(({ newer }) => newer)).toEqual(['by bert'])
})
