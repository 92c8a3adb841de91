import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, test } from 'vitest'
import { openCopiedReads } from '#aws/copied-reads'
import { type Export, type ExportJob, fileKey } from '#core/exports/export'
import { MAX_OPEN_EXPORTS } from '#core/exports/open-exports'
import { profiles } from '#core/plans/profile'
import type { Row } from '#core/ports'
import { createAnnotations } from '#core/projects/annotations'
import { createContextStore } from '#core/projects/contexts'
import type { Project } from '#core/projects/project'
import { createSavedViews } from '#core/projects/saved-views'
import { createSegments } from '#core/projects/segments'
import { DAY_MS, utcDate } from '#core/time'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { propertySettings } from '#test/support/depth'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'
import { log, type Opened, openEmpty, openExports } from './opened-exports.ts'

async function rowsOf(
  { objects }: Opened,
  made: Export,
  dataset: string,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  for (const file of made.files.filter(each => each.dataset === dataset)) {
    const bytes = (await objects.get(fileKey(made, file))) as Uint8Array<ArrayBuffer>
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
    const read = await parquetReadObjects({ file: bytes.slice().buffer, compressors })
    expect([read.length, bytes.length]).toEqual([file.rows, file.bytes])
    rows.push(...read)
  }
  return rows
}

/** A text as hyparquet reads it: TextDecoder leaves out a byte order mark at the beginning. */
function asRead(text: string): string {
  return new TextDecoder().decode(Buffer.from(text))
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

test('an export in slices has each event of random histories once, by DuckDB over the folder and over copies as on AWS', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 1, max: 40 }), async (given, rows) => {
      await withReportLake(given, async ({ services, projects, events, lake }) => {
        const tempDir = await mkdtemp(join(tmpdir(), 'footfall-copied-'))
        const copied = await openCopiedReads({
          ...{ lake, log, tempDir, memoryMb: 256, threads: 1, openEngine: openQueryEngine },
        })
        try {
          for (const engine of [services.engine, copied]) {
            const opened = await openExports({
              ...{ engine, openLake: services.openLake, lake, project: projects[0] as Project },
              file: { rows, bytes: 1_000_000 },
            })
            const { exports, account, project, store } = opened
            const { id } = await exports.start(project, account, {})
            await opened.runAll()
            const made = (await store.find({ account_id: 'acc_1', id })) as Export
            expect([made.status, made.reason]).toEqual(['done', undefined])
            const own = events.filter(({ project_id }) => project_id === project.id)
            const days = countBy(own.map(({ timestamp }) => utcDate(timestamp)))
            expect(made.days).toEqual(days)
            const found = await rowsOf(opened, made, 'events')
            expect(countBy(found.map(({ event }) => String(event)))).toEqual(
              countBy(own.map(({ event }) => asRead(event))),
            )
            expect(new Set(found.map(({ id: ulid }) => ulid)).size).toBe(own.length)
            const people = await rowsOf(opened, made, 'people')
            expect(people.map(({ user_id }) => user_id).toSorted()).toEqual(
              [...new Set(own.flatMap(({ user_id }) => user_id ?? []))].map(asRead).toSorted(),
            )
            await opened.close()
          }
        } finally {
          await copied.close()
          await rm(tempDir, { recursive: true, force: true })
        }
      })
    }),
    propertySettings(1, { countPerDepth: 4 }),
  )
})

test('an export of a project without events is done and has no files of them', async () => {
  const opened = await openEmpty()
  const { id } = await opened.exports.start(opened.project, opened.account, {})
  await opened.runAll()
  expect(await opened.exports.read(id, opened.account)).toMatchObject({
    ...{ status: 'done', days: {} },
    files: [
      { name: 'views.json', dataset: 'views', rows: 0 },
      { name: 'context.json', dataset: 'context', rows: 0 },
    ],
  })
  await opened.close()
})

test('saved views and segments of the project alone come as JSON, without a read of events', async () => {
  const engine = { rows: () => Promise.reject(new Error('Events were read')) }
  const opened = await openEmpty({ engine })
  const segment = {
    name: 'germans',
    title: null,
    where: { field: 'country', op: 'eq', value: 'DE' } as const,
  }
  const views = createSavedViews({ ...opened.state, clock: opened.clock })
  const view = await views.create(opened.project.id, { name: 'Signups', query: 'view=funnel' })
  await views.create('proj_other', { name: 'Foreign', query: '' })
  await createSegments(opened.state).put(opened.project.id, { ...segment, updated_at: 7 })
  const { id } = await opened.exports.start(opened.project, opened.account, { datasets: ['views'] })
  await opened.runAll()
  const made = await opened.exports.read(id, opened.account)
  expect([made.status, made.files.map(({ name, rows }) => [name, rows])]).toEqual([
    'done',
    [['views.json', 2]],
  ])
  const bytes = await opened.exports.download(made, 'views.json')
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
    saved_views: [view],
    segments: [{ ...segment, updated_at: 7 }],
  })
  await opened.close()
})

test('the context of the project comes as JSON, with all its annotations', async () => {
  const engine = { rows: () => Promise.reject(new Error('Events were read')) }
  const opened = await openEmpty({ engine })
  const { project, clock, state, exports, account } = opened
  const projects = { resolve: async () => null }
  const annotations = createAnnotations(state)
  const contexts = createContextStore({ ...state, clock, projects, annotations })
  await contexts.setProject(project, {
    ...{ goals: ['More trials'], activation_events: ['signup', '/docs/**'], glossary: [] },
    annotations: [{ occurred_at: '2026-11-01', title: 'Listed' }],
  })
  const own = { occurred_at: '2026-11-02', title: 'Of its own', note: 'Release 2' }
  const annotation = await annotations.create(project.id, own)
  await annotations.create('proj_other', own)
  const { id } = await exports.start(project, account, { datasets: ['context'] })
  await opened.runAll()
  const made = await exports.read(id, account)
  expect([made.status, made.files.map(({ name, rows }) => [name, rows])]).toEqual([
    'done',
    [['context.json', 5]],
  ])
  const bytes = await exports.download(made, 'context.json')
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
    ...{ goals: ['More trials'], activation_events: ['signup', '/docs/**'], glossary: [] },
    annotations: [{ occurred_at: '2026-11-01', title: 'Listed' }, annotation],
  })
  await opened.close()
})

test.each([
  [{}, '1970-01-01', '2026-11-18'],
  [{ since: '90d' }, '2026-08-20', '2026-11-18'],
  [{ since: '0d', until: '2027-01-01' }, '2026-11-18', '2026-11-18'],
  [{ date_from: '7d', date_to: '1d' }, '2026-11-11', '2026-11-17'],
  [{ since: '2026-11-01', until: '2026-11-10T00:00' }, '2026-11-01', '2026-11-09'],
])('the period of %j is whole days, by the rule of reports', async (request, first, last) => {
  const opened = await openEmpty()
  const { from, to } = await opened.exports.start(opened.project, opened.account, request)
  expect([from, to]).toEqual([Date.parse(first), Date.parse(last) + DAY_MS])
  await opened.close()
})

test('just before midnight the period has the next day, of which events of a clock that is ahead may be', async () => {
  const opened = await openEmpty()
  opened.clock.advance(Date.parse('2026-11-18T23:57:00Z') - NOW)
  const { to } = await opened.exports.start(opened.project, opened.account, {})
  expect(to).toBe(Date.parse('2026-11-20'))
  await opened.close()
})

test('a second run does nothing while the first one is alive, and takes over what maintenance gives it', async () => {
  const opened = await openEmpty()
  const { id } = await opened.exports.start(opened.project, opened.account, {})
  const key = { account_id: 'acc_1', id }
  await opened.store.begin((await opened.store.find(key)) as Export, 'run_1', NOW + 60_000)
  await opened.runAll()
  expect((await opened.store.find(key))?.status).toBe('running')
  await opened.upkeep.resumeAll()
  await opened.runAll()
  expect((await opened.store.find(key))?.status).toBe('done')
  await opened.close()
})

test('an export that fails in each of five tries has failed, and frees the place of its project', async () => {
  const opened = await openEmpty({ engine: { rows: () => Promise.reject(new Error('The engine is gone')) } })
  const { id } = await opened.exports.start(opened.project, opened.account, {})
  const job = opened.jobs.shift() as ExportJob
  for (let tries = 0; tries < 5; tries++) await expect(opened.worker.run(job)).rejects.toThrow('gone')
  await opened.worker.run(job)
  const made = await opened.exports.read(id, opened.account)
  expect([made.status, made.reason]).toEqual(['failed', expect.stringContaining('five attempts')])
  await opened.exports.start(opened.project, opened.account, {})
  await opened.close()
})

test('more events than an export may have are refused with what to do', async () => {
  const rows = async () => [{ day: '2026-11-01', events: 20_000_001 }]
  const made = await exportOver(rows)
  expect([made.status, made.reason]).toEqual(['failed', expect.stringContaining('Export shorter periods')])
})

test('a period of more than fifty years is refused with what to do', async () => {
  const rows = async () => ['1976-11-17', '2026-11-18'].map(day => ({ day, events: 1 }))
  const made = await exportOver(rows)
  expect([made.status, made.reason]).toEqual([
    'failed',
    expect.stringMatching(/^The period has 18264 days .* Export shorter periods/),
  ])
})

test('days that differ from the counts of the service fail the export', async () => {
  const rows = async ({ text }: { text: string }) =>
    text.includes('AS counted GROUP BY date') ? [{ day: '2026-11-01', events: 3 }] : []
  const made = await exportOver(rows)
  expect([made.status, made.reason]).toEqual([
    'failed',
    expect.stringContaining('2026-11-01: 0 events, 3 to 3 counted.'),
  ])
})

test('an erasure while an export runs makes it fail', async () => {
  const opened = await openEmpty()
  const { id } = await opened.exports.start(opened.project, opened.account, {})
  opened.erased.push(NOW)
  await opened.runAll()
  const made = await opened.exports.read(id, opened.account)
  expect([made.status, made.reason]).toEqual(['failed', expect.stringContaining('was erased')])
  await opened.close()
})

test('requests at the same time begin as many exports as may run, and one of each project', async () => {
  const opened = await openEmpty()
  const projects = Array.from({ length: MAX_OPEN_EXPORTS + 10 }, (_, i) => `proj_${Math.floor(i / 1.2)}`)
  const begun = await Promise.allSettled(
    projects.map(id => opened.exports.start({ ...opened.project, id }, opened.account, {})),
  )
  const made = begun.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  const refused = begun.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
  expect(new Set(made.map(({ project_id }) => project_id)).size).toBe(made.length)
  expect([made.length, refused.length]).toEqual([MAX_OPEN_EXPORTS, 10])
  const reasons = refused.map(({ extras }) => extras.fields.reason)
  expect(new Set(reasons)).toEqual(new Set(['export_running', 'exports_running']))
  const start = () => opened.exports.start({ ...opened.project, id: 'proj_late' }, opened.account, {})
  await expect(start()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await opened.exports.remove(made[7] as Export)
  expect((await start()).status).toBe('queued')
  await opened.close()
})

test('a project has one export at a time, and as many within a day as its profile says', async () => {
  const opened = await openEmpty()
  const start = () => opened.exports.start(opened.project, opened.account, {})
  await start()
  await expect(start()).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    extras: { fields: { reason: 'export_running' } },
  })
  for (let begun = 1; begun < profiles.own.exports_per_day; begun++) {
    await opened.runAll()
    await start()
  }
  await opened.runAll()
  await expect(start()).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    extras: { fields: { reason: 'rate_limit' } },
  })
  await opened.close()
})

test('maintenance deletes the files of expired exports, of deleted projects and of before an erasure, and no others', async () => {
  const cases = {
    kept: () => {},
    erased: ({ erased }: Opened) => void erased.push(NOW + 1),
    deleted: ({ project }: Opened) => void Object.assign(project, { deleted_at: '2026-11-18' }),
    expired: ({ clock }: Opened) => clock.advance(8 * 86_400_000),
  }
  for (const [name, change] of Object.entries(cases)) {
    const opened = await openEmpty()
    const { id } = await opened.exports.start(opened.project, opened.account, { datasets: ['events'] })
    await opened.runAll()
    const key = { account_id: 'acc_1', id }
    const file = { object: 'run-events-0001.parquet' }
    await opened.objects.put(fileKey(key, file), Buffer.from('PAR1'))
    change(opened)
    await opened.upkeep.tick()
    expect([name, (await opened.objects.list('exports/')).length]).toEqual([name, name === 'kept' ? 1 : 0])
    await opened.close()
  }
})

/** An export of everything, as it ended, where each statement answers `rows`. */
async function exportOver(rows: (statement: { text: string }) => Promise<Row[]>) {
  const opened = await openEmpty({ engine: { rows } })
  const { id } = await opened.exports.start(opened.project, opened.account, {})
  await opened.runAll()
  const made = await opened.exports.read(id, opened.account)
  await opened.close()
  return made
}
