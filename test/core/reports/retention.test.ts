import { expect, test } from 'vitest'
import { defineReport, type ReportProject, runReport, sinceDays } from '#core/reports/run/run'
import { fixedLake } from '#test/support/fixed-lake'

const NOW = Date.UTC(2026, 10, 21, 12)
const DAY_MS = 86_400_000
const project = { id: 'proj_1', name: 'shop', bucket: 0, created_at: '2020-01-01T00:00:00.000Z' }
const report = defineReport<{ since?: string }, { from: number }>({
  range: sinceDays(7),
  compute: async (_, { read }) => ({ from: read.from }),
})
const services = {
  engine: { rows: async () => [] },
  openLake: async () => fixedLake(),
  clock: { now: () => NOW },
}
const call = { project: project as unknown as ReportProject, query: { since: '365d' } }

test('events that are older than the plan keeps them are in no report', async () => {
  const keptSince = NOW - 90 * DAY_MS
  expect(await runReport(report, services, { ...call, keptSince })).toMatchObject({ from: keptSince })
  const { from } = await runReport(report, services, call)
  expect(from).toBeLessThan(NOW - 360 * DAY_MS)
})

test('a range within the retention of the plan is not cut', async () => {
  const recent = { ...call, query: { since: '3d' } }
  const all = await runReport(report, services, recent)
  expect(await runReport(report, services, { ...recent, keptSince: NOW - 90 * DAY_MS })).toEqual(all)
})
