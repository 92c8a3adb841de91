import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryForLinks } from '#core/reports/few-people/query'
import { runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { recordOf } from '#test/support/record-of'

let folder: FolderLake
beforeAll(async () => {
  folder = await openFolderLake()
}, 60_000)
afterAll(() => folder.close())

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY = '2026-11-18'
const SUM = 'sum(properties.v)'

test('the sum of hidden groups is shown where each has numbers of enough people, and is exact', async () => {
  const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
  // Each person of a group has sent one event; `v`: the number of the first one, 0 of the others.
  const group = (p: string, people: number, v?: number) =>
    Array.from({ length: people }, (_, i) => ({
      ...{ event: 'e', user_id: `${p}${i}`, timestamp: Date.parse(DAY) + i * 1_000 },
      properties: { p, ...(v !== undefined && { v: i === 0 ? v : 0 }) },
    }))
  // Two people, whose events have no number, are hidden, and with them the smallest of the others. The limit
  // cuts the last group.
  const few = [...group('few', 2), ...group('few', 2), ...group('few', 2), ...group('few', 2)]
  const events = [...few, ...group('large', 9, 7), ...group('small', 6, 0.1), ...group('cut', 5, 0.2)]
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events)]]], compacted: 1 })
  const body = {
    ...{ metrics: ['event_count', SUM], group_by: ['properties.p'], filters: [], count_mode: 'raw' as const },
    ...{ date_from: DAY, date_to: DAY, order: 'desc' as const, limit: 3 },
  }
  const services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
  const { rows } = await runReport(queryForLinks, services, { project, body })
  expect(rows).toEqual([
    { 'properties.p': 'large', event_count: 9, [SUM]: 7 },
    { 'properties.p': null, event_count: 19, [SUM]: 0.3, other: true },
  ])
})
