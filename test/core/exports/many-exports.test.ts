import { afterAll, beforeAll, expect, test } from 'vitest'
import { forEachConcurrent } from '#core/async/concurrency'
import { type Export, type ExportJob, fileKey } from '#core/exports/export'
import { createExportStore } from '#core/exports/export-store'
import { createExports } from '#core/exports/exports'
import { createExportUpkeep } from '#core/exports/upkeep'
import { createErasureFeed } from '#core/identity/erasure-feed'
import { profiles } from '#core/plans/profile'
import type { Project } from '#core/projects/project'
import { EXPORT_LIMITS } from '#schemas/exports'
import { openMeteredState } from '#test/cost/metered-state'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { createFakeClock } from '#test/support/fake-clock'
import { largestExport } from '#test/support/largest-export'

/**
 * As many exports as a project can have, each as large as it may be, and some of other projects. The state is
 * dynalite, which refuses items of more than 400 KB and reports the units that DynamoDB bills.
 */

const MOST = profiles.own.exports_per_day * EXPORT_LIMITS.kept_days
const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-11-18T12:00:00Z')

const state = await openMeteredState()
afterAll(() => state.close())
const time = createFakeClock(NOW)
const clock = { ...time, sleep: async () => {}, deadline: () => new AbortController().signal }
const store = createExportStore({ ...state, clock })
const erasureFeed = createErasureFeed({ ...state, clock })
const objects = createSimulatedLake()
const jobs = { send: async (_: ExportJob) => {} }
const services = { ...state, clock, erasureFeed, objects, jobs, profile: profiles.own }
const exports = createExports({ ...services, addressOf: null })
const byId = async (id: string) => ({ id, deleted_at: null }) as Project
const upkeep = createExportUpkeep({ ...services, projects: { byId } })

const project = (id: string) => ({ account_id: 'acc_1', id }) as Project
const PROJECTS = { full: MOST, other: 3, third: 3 }
const made: Export[] = []
beforeAll(async () => {
  for (const [id, count] of Object.entries(PROJECTS))
    for (let i = 1; i <= count; i++) made.push(largestExport(project(id), NOW - (i - 0.5) * HOUR_MS))
  await forEachConcurrent(made, 8, async each => {
    await store.put(each)
    const [file = { object: '' }] = each.files
    await objects.put(fileKey(each, file), Buffer.from('PAR1'))
  })
})

const newestOf = (id: string) =>
  made.filter(({ project_id }) => project_id === id).toSorted((a, b) => b.created_at - a.created_at)

test('a page of the list reads 600 bytes for each export of the project, newest first', async () => {
  const pages: Awaited<ReturnType<typeof exports.list>>[] = []
  const { reads } = await state.measure(async () => {
    for (let before: string | undefined | null; before !== null; before = pages.at(-1)?.next_before)
      pages.push(await exports.list(project('full'), { limit: 100, before }))
  })
  expect(pages.map(page => page.exports.length)).toEqual([100, MOST - 100])
  expect(pages.flatMap(page => page.exports.map(({ id }) => id))).toEqual(
    newestOf('full').map(({ id }) => id),
  )
  expect(pages[0]?.exports[0]).toMatchObject({
    status: 'done',
    events: EXPORT_LIMITS.days * 1_095,
    bytes: 4_000_000_000,
  })
  // A unit is 4 KB: one export with its files and days has 84 of them.
  expect(reads).toBeLessThan(30)
})

test('a page of another project has its exports alone, also before an id of none', async () => {
  const { exports: found } = await exports.list(project('other'), { limit: 100 })
  expect(found.map(({ id }) => id)).toEqual(newestOf('other').map(({ id }) => id))
  const rest = await exports.list(project('other'), { limit: 2 })
  expect(rest.next_before).toBe(newestOf('other')[1]?.id)
  for (const [digit, count] of [
    ['0', 0],
    ['f', 3],
  ] as const) {
    const page = await exports.list(project('other'), { limit: 100, before: `exp_${digit.repeat(24)}` })
    expect([digit, page.exports.length]).toEqual([digit, count])
  }
  expect(await exports.list(project('empty'), { limit: 1 })).toEqual({ exports: [], next_before: null })
})

test('beginning an export costs as much beside all others as it does alone', async () => {
  const start = () => exports.start(project('third'), { id: 'acc_1' } as never, {})
  const { reads, writes } = await state.measure(start)
  expect(reads + writes).toBeLessThan(10)
})

test('maintenance reads one small item for each export, and one erasure for each project', async () => {
  const { reads } = await state.measure(() => upkeep.tick())
  expect(reads).toBeLessThan(made.length + 3 * Object.keys(PROJECTS).length)
  expect(await objects.list('exports/')).toHaveLength(made.length)
})

test('an erasure voids the exports of its project alone: in the list at once, and for good by maintenance', async () => {
  await erasureFeed.add('other', ['ada'], NOW)
  const listed = await exports.list(project('other'), { limit: 100 })
  expect(listed.exports.map(({ status, bytes }) => [status, bytes])).toEqual(Array(3).fill(['failed', 0]))
  clock.advance(HOUR_MS / 4)
  await upkeep.tick()
  const [newest] = newestOf('other')
  expect(await store.find(newest as Export)).toMatchObject({ status: 'failed', files: [] })
  expect(await objects.list('exports/')).toHaveLength(made.length - 3)
  const { exports: full } = await exports.list(project('full'), { limit: 100 })
  expect(new Set(full.map(({ status }) => status))).toEqual(new Set(['done']))
})
