import { afterAll, beforeAll, expect, test } from 'vitest'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { encodeLinks } from '#core/identity/links/link-rows'
import { userHash } from '#core/lake/erase/tombstones'
import { linksKey } from '#core/lake/model/keys'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import { allSites } from '#core/reports/all-sites'
import { insights } from '#core/reports/insights'
import { eventsLookup, journey } from '#core/reports/lookups'
import { query } from '#core/reports/query/query'
import { retention } from '#core/reports/retention/retention'
import { createReader } from '#core/reports/run/read'
import { type Report, type ReportServices, runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import type { LocalQueryEngine } from '#duckdb/reads/query-engine'
import { queryBody } from '#schemas/query'
import type { Statement } from '#schemas/read-options'
import { retentionQuery } from '#schemas/retention'
import { addErasure } from '#test/support/add-erasure'
import { runInBareDuckDb } from '#test/support/bare-duckdb'
import type { EventsRecord } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { recordingEngine } from '#test/trino/recording-engine'

/**
 * sql=true over a lake with all that changes a statement beside its report: two projects that share their
 * users, a linked id, and an erased person whose events are still in the files. read.test.ts does the same
 * for every report of a lake without these.
 */

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const DAY = 86_400_000
const BUCKET = 7
const [shop, blog] = ['shop', 'blog'].map(name => ({
  id: `proj_${name}`,
  name,
  bucket: BUCKET,
  created_at: '2026-10-01T00:00:00Z',
  has_event_ids: true,
})) as [TestProject, TestProject]
type TestProject = { id: string; name: string; bucket: number; created_at: string; has_event_ids: boolean }

let folder: FolderLake
let lake: LakeSnapshot
let engine: LocalQueryEngine
let identity: IdentityView

// Epochs 1 and 2 are one segment, epoch 3 is hot. `anon` is linked to `known`, and `erased` was erased.
beforeAll(async () => {
  folder = await openFolderLake()
  engine = folder.engine
  const built = await folder.build({
    epochs: [2, 1, 0].map(daysAgo => [[recordOf(shop, daysAgo), recordOf(blog, daysAgo)]]),
    compacted: 3,
    mergeEnds: [3],
  })
  const files = [1, 2].map(number => linksKey(BUCKET, { number, writer: '0a' }))
  const link = { scope: 'joined', user_id: 'device', at: NOW, seq: 1 }
  const rows = [
    { ...link, previous_id: 'anon', linked_id: 'device' },
    { ...link, previous_id: 'device', linked_id: 'known' },
  ]
  for (const [i, row] of rows.entries()) await folder.lake.put(String(files[i]), encodeLinks([row]))
  identity = {
    ...NO_IDENTITY,
    links: { scope: 'joined', bucket: BUCKET, files, hops: 1 },
    joinedProjects: [shop, blog] as never,
    idsOf: async () => ['known', 'anon'],
  }
  const manifest = built.manifests.get(BUCKET)
  if (manifest === undefined) throw new Error('The bucket has no manifest.')
  const erased = {
    project_id: shop.id,
    users: [userHash('erased')],
    until: NOW,
  }
  built.manifests.set(BUCKET, await addErasure(folder.lake, manifest, erased, NOW))
  lake = await built.openLake()
})
afterAll(() => folder.close())

function recordOf(project: TestProject, daysAgo: number): EventsRecord {
  const at = NOW - daysAgo * DAY
  return {
    kind: 'events',
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: at,
    seq: project === shop ? 1 : 2,
    country: 'DE',
    events: ['anon', 'known', 'erased'].map((user, i) => ({
      event: i === 1 ? 'signup' : 'page_view',
      properties: { path: `/${i}` },
      user_id: user,
      session_id: `${project.id} ${user} ${daysAgo}`,
      timestamp: at - 60_000 * (3 - i),
      event_id: i === 0 ? `${project.id} ${at}` : null,
    })),
  }
}

const asOwner = (services: ReportServices) =>
  allSites(services, { projects: [shop, blog], params: { period: '7d', limit: 10 }, signal: undefined })
const run = (report: unknown, params: object) => (services: ReportServices) =>
  runReport(report as Report<object, object>, services, { project: shop, identity, query: params })

const reads: [string, (services: ReportServices) => Promise<object>][] = [
  ['stats', run(stats, { groupBy: 'day' })],
  ['sessions', run(sessions, { limit: 10, user_id: 'anon' })],
  ['insights', run(insights, { period: '7d' })],
  ['retention', run(retention, retentionQuery.parse({ project: 'shop', period: 'day' }))],
  ['query', run(query, queryBody.parse({ project: 'shop', metrics: ['unique_users', 'bounce_rate'] }))],
  ['events lookup', run(eventsLookup, { limit: 10, user_id: 'anon' })],
  ['journey', run(journey, { limit: 10, user_id: 'anon' })],
  ['all sites', asOwner],
]

test.each(reads)('the statements of %s return the same rows in DuckDB alone', async (_, work) => {
  // Packed statements are of another test (test/core/sql/packed-statement.test.ts).
  const recorder = { ...recordingEngine(engine), isFree: () => true }
  const reader = createReader({ engine: recorder, openLake: async () => lake, clock: { now: () => NOW } })
  const { body } = await reader.read({ account: 'acc_1', options: { receipt: false, sql: true } }, work)
  expect(JSON.stringify({ ...body, sql: undefined })).not.toContain('"erased"')
  const statements = body.sql as Statement[]
  const withRows = recorder
    .recordedStatements()
    .filter(({ rows, query }) => rows.length > 0 && !query.text.includes('AS first_event_'))
  expect(withRows.length).toBeGreaterThan(0)
  for (const { query, rows } of withRows) {
    const statement = statements.find(({ text }) => text === query.text)
    if (statement === undefined) throw new Error(`sql=true leaves out: ${query.text.slice(0, 200)}`)
    expect(sorted(await runInBareDuckDb(folder.lakeDir, statement))).toEqual(sorted(rows))
  }
})

/** Statements without ORDER BY may return their rows in any order. */
function sorted(rows: readonly unknown[]): string[] {
  return rows.map(row => JSON.stringify(row)).toSorted()
}
