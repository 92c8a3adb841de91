import { afterAll, beforeAll, expect, test } from 'vitest'
import { type JourneyParams, journey } from '#core/reports/lookups'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
const HOUR = 3_600_000

let folder: FolderLake
let services: ReportServices

// e1 is the oldest of ten events of one person, some of them days apart; e4 and e5 have one timestamp.
beforeAll(async () => {
  folder = await openFolderLake()
  const ago = [300, 200, 100, 50, 50, 30, 3, 2, 1, 0]
  const events = ago.map((hours, i) => ({
    event: `e${i + 1}`,
    user_id: 'ann',
    timestamp: NOW - hours * HOUR - 1,
  }))
  const others = ago.map(hours => ({ event: 'other', user_id: 'bob', timestamp: NOW - hours * HOUR - 2 }))
  const { openLake } = await folder.build({
    epochs: [
      [[recordOf(project, events.slice(0, 6), 1)]],
      [[recordOf(project, [...events.slice(6), ...others], 2)]],
    ],
    compacted: 1,
  })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
})
afterAll(() => folder.close())

/** The names of the events on each page. */
async function pagesOf(params: Partial<JourneyParams>): Promise<string[][]> {
  const pages: string[][] = []
  let before: string | undefined
  do {
    const query = { user_id: 'ann', limit: 4, since: '30d', ...params, before }
    const page = await runReport(journey, services, { project, query })
    pages.push(page.events.map(({ event }) => String(event)))
    before = page.next_before ?? undefined
  } while (before !== undefined)
  return pages
}

test('with order=desc each page begins with its newest event, and the next page goes on', async () => {
  expect(await pagesOf({ order: 'desc' })).toEqual([
    ['e10', 'e9', 'e8', 'e7'],
    ['e6', 'e5', 'e4', 'e3'],
    ['e2', 'e1'],
  ])
})

test('with order=asc each page begins with its oldest event, and the next page goes on', async () => {
  expect(await pagesOf({ order: 'asc' })).toEqual([
    ['e1', 'e2', 'e3', 'e4'],
    ['e5', 'e6', 'e7', 'e8'],
    ['e9', 'e10'],
  ])
})

test('without an order the pages are the newest events, printed oldest first', async () => {
  expect(await pagesOf({})).toEqual([
    ['e7', 'e8', 'e9', 'e10'],
    ['e3', 'e4', 'e5', 'e6'],
    ['e1', 'e2'],
  ])
})

test('fields and a range keep the order', async () => {
  const query = { user_id: 'ann', limit: 2, since: '3d', fields: ['event'], order: 'desc' as const }
  const { events } = await runReport(journey, services, { project, query })
  expect(events).toEqual([{ event: 'e10' }, { event: 'e9' }])
})
