import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allSites } from '#core/reports/all-sites'
import type { ReportProject } from '#core/reports/run/run'
import { allSitesResponse } from '#schemas/all-sites'
import { PERIOD_LABELS } from '#schemas/fields'
import { propertySettings } from '#test/support/depth'
import { fixedLake } from '#test/support/fixed-lake'
import { oracleAllSites } from '#test/support/oracle/all-sites'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'] as const
const signal = undefined

test('all-sites equals the oracle for random events in any state of compaction and any zone', async () => {
  const question = fc.record({
    period: fc.constantFrom(...PERIOD_LABELS),
    tz: fc.constantFrom(...ZONES),
    limit: fc.constantFrom(1, 2, 10),
  })
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(question, { minLength: 1, maxLength: 3 }),
      async (given, questions) => {
        await withReportLake(given, async ({ services, projects, events }) => {
          for (const { period, tz, limit } of questions) {
            const params = { period, tz, limit }
            const response = await allSites(services, { projects, params, signal })
            const days = Number.parseInt(period, 10)
            expect(response).toEqual(oracleAllSites(events, projects, { now: NOW, tz, days, limit }))
            allSitesResponse.parse(response)
          }
        })
      },
    ),
    propertySettings(1, { countPerDepth: 2 }),
  )
})

/** Services whose engine counts the statements and returns one event a project, today. */
function countingServices() {
  let statements = 0
  const engine = {
    async rows({ text }: { text: string }) {
      statements++
      const sites = new Set([...text.matchAll(/SELECT (\d+) AS site/g)].map(match => Number(match[1])))
      return [...sites].map(site => ({ site, day: Math.floor(NOW / 86_400_000), total: 1 }))
    },
  }
  const openLake = async () => fixedLake()
  return { services: { engine, openLake, clock: { now: () => NOW } }, count: () => statements }
}

function projectsOf(count: number): ReportProject[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `proj_${i}`,
    name: `site-${String(i).padStart(2, '0')}`,
    bucket: i,
    created_at: '2026-01-01T00:00:00Z',
    has_event_ids: true,
  }))
}

test('an account with many projects needs a statement for every twenty of them', async () => {
  const { services, count } = countingServices()
  const params = { period: '7d' as const, limit: 10 }
  const response = await allSites(services, { projects: projectsOf(45), params, signal })
  expect(count()).toBe(3)
  expect(response).toMatchObject({
    summary: { total_projects: 45, active_projects: 45, total_events: { current: 45 } },
    remaining_projects: 35,
  })
  expect(response.projects.map(({ name }) => name)).toEqual(
    Array.from({ length: 10 }, (_, i) => `site-0${i}`),
  )
})

test('an account without projects has an overview of zeros, and needs no statement', async () => {
  const { services, count } = countingServices()
  const response = await allSites(services, { projects: [], params: { period: '1d', limit: 10 }, signal })
  expect(response).toMatchObject({
    summary: { total_projects: 0, active_projects: 0, total_events: { current: 0, change_pct: 0 } },
    time_series: [{ date: '2026-11-18', events: 0 }],
    projects: [],
    remaining_projects: 0,
  })
  expect(count()).toBe(0)
})
