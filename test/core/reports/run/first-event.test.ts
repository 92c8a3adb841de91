import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insights } from '#core/reports/insights'
import { query } from '#core/reports/query/query'
import { retention } from '#core/reports/retention/retention'
import { createFirstEvents } from '#core/reports/run/first-event'
import { createReader, type ReadCall } from '#core/reports/run/read'
import { type Report, type ReportCall, runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import type { EventTimes } from '#core/usage/counters'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { recordOf } from '#test/support/record-of'

const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const DAY = 86_400_000
const project = testProject({ bucket: 7, created_at: '2026-11-01T00:00:00Z' })
const empty = testProject({ bucket: 7, created_at: '2026-11-01T00:00:00Z', id: 'proj_empty', name: 'empty' })

let folder: FolderLake
let read: ReturnType<typeof createReader>['read']

// One event late on 2 November (the 3rd in Berlin), then one a day for the last week, in a segment and in a
// hot file.
beforeAll(async () => {
  folder = await openFolderLake()
  const times = [Date.parse('2026-11-02T23:30:00Z'), ...[6, 5, 4, 3, 2, 1, 0].map(ago => NOW - ago * DAY)]
  const records = times.map(timestamp => [
    recordOf(project, [{ event: 'a', properties: {}, user_id: 'u', session_id: 's', timestamp }]),
  ])
  const { openLake } = await folder.build({ epochs: [records.slice(0, 4), records.slice(4)], compacted: 2 })
  ;({ read } = createReader({
    engine: folder.engine,
    openLake,
    clock: { now: () => NOW },
    freshUntil: async () => NOW,
  }))
})
afterAll(() => folder.close())

async function ask<P, B>(
  report: Report<P, B>,
  params: object,
  { options, ...call }: Partial<ReportCall<P>> & { options?: ReadCall['options'] } = {},
) {
  const { body, receipt } = await read(
    { account: 'acc_1', options: options ?? { receipt: false, sql: true } },
    services => runReport(report as never, services, { project, query: params, ...call } as never),
  )
  return { body: body as B & { warnings?: string[]; sql?: unknown[] }, receipt }
}

test('the receipt says the date of the first event, in the zone of the request', async () => {
  expect((await ask(stats, { since: '1d', groupBy: 'day' })).receipt.data_from).toBe('2026-11-02')
  const berlin = await ask(stats, { since: '1d', groupBy: 'day', tz: 'Europe/Berlin' })
  expect(berlin.receipt.data_from).toBe('2026-11-03')
})

test('data that the plan no longer keeps does not count', async () => {
  const { receipt } = await ask(stats, { since: '1d', groupBy: 'day' }, { keptSince: NOW - 5 * DAY })
  expect(receipt.data_from).toBe('2026-11-13')
})

test('a project without events has no date', async () => {
  const { receipt, body } = await ask(stats, { since: '30d', groupBy: 'day' }, { project: empty })
  expect([receipt.data_from, body.warnings]).toEqual([null, undefined])
})

test('a dry run does not look for the first event', async () => {
  const dry = { receipt: true, sql: false, dry_run: true }
  expect((await ask(stats, { since: '30d', groupBy: 'day' }, { options: dry })).receipt.data_from).toBe(null)
})

test('`sql` has the statements of the numbers alone', async () => {
  const { body } = await ask(stats, { since: '1d', groupBy: 'day' })
  expect(JSON.stringify(body.sql)).not.toContain('first_event_')
})

describe('a warning says that', () => {
  const beforeFirst = 'and the first event is of 2026-11-02 (`data_from`)'

  test('the range begins before the first event', async () => {
    const { body } = await ask(stats, { since: '2026-10-01', groupBy: 'day' })
    expect(body.warnings).toEqual([`The range begins on 2026-10-01, ${beforeFirst}.`])
    const { body: cohorts } = await ask(retention, { period: 'week', cohorts: 8 })
    expect(cohorts.warnings?.at(-1)).toContain(beforeFirst)
  })

  test('the period before begins before the first event', async () => {
    const compared = await ask(stats, { since: '10d', groupBy: 'day', compare: 'previous' })
    expect(compared.body.warnings).toEqual([
      'Today is not over, so the compared range ends at the same time of day, 2026-11-07T15:42:17.123Z.',
      `The compared range begins on 2026-10-28, ${beforeFirst}: changes against it say little.`,
    ])
    const { body } = await ask(insights, { period: '14d' })
    expect(body.warnings).toEqual([
      `The period before begins on 2026-10-22, ${beforeFirst}: changes against it say little.`,
    ])
  })

  test('nothing, where both begin with the first event or later', async () => {
    expect((await ask(stats, { since: '2026-11-02', groupBy: 'day' })).body.warnings).toBe(undefined)
    const asked = {
      metrics: ['event_count'],
      group_by: [],
      filters: [],
      compare: 'previous',
      date_from: '7d',
      date_to: '1d',
    }
    const { body } = await ask(query, { ...asked, count_mode: 'raw', order: 'desc', limit: 10 })
    expect(body.warnings).toBe(undefined)
  })
})

test('a trend needs a whole period before, else it is stable', async () => {
  expect((await ask(insights, { period: '14d' })).body).toMatchObject({
    metrics: { total_events: { current: 7, previous: 1 } },
    trend: 'stable',
  })
  expect((await ask(insights, { period: '7d' })).body).toMatchObject({
    metrics: { total_events: { current: 7, previous: 0, change_pct: null } },
    trend: 'growing',
  })
  expect((await ask(insights, { period: '7d' }, { project: empty })).body.trend).toBe('stable')
})

test('a first event is known for a minute, and that there is none is asked every time', async () => {
  let now = NOW
  const answers: (number | null)[] = [null, 5, 3]
  const firstEvents = createFirstEvents({ now: () => now })
  const next = async () => answers.shift() ?? null
  expect(await firstEvents('proj_1', next)).toBe(null)
  expect(await firstEvents('proj_1', next)).toBe(5)
  now += 59_999
  expect(await firstEvents('proj_1', next)).toBe(5)
  now += 1
  expect(await firstEvents('proj_1', next)).toBe(3)
})

test('the counters of accepted events say the first one without a search; without their times the lake does', async () => {
  const times: Record<string, EventTimes | null> = { counted: { first: 7, last: 9 }, old: null }
  const totals = async (ids: readonly string[]) =>
    ids.map(id => ({ events: 2, reads: 0, times: times[id] ?? null }))
  const firstEvents = createFirstEvents({ now: () => NOW }, { totals })
  let searches = 0
  const search = async () => {
    searches++
    return 3
  }
  expect([await firstEvents('counted', search), searches]).toEqual([7, 0])
  expect([await firstEvents('old', search), searches]).toEqual([3, 1])
})
