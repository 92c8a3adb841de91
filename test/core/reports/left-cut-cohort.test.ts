import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RetentionParams } from '#core/reports/retention/params'
import { retention } from '#core/reports/retention/retention'
import { createNotes } from '#core/reports/run/notes'
import { type ReportCall, type ReportServices, runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { recordOf } from '#test/support/record-of'

/** A Wednesday. Its week begins on 2026-11-16. */
const NOW = Date.parse('2026-11-18T15:00:00Z')
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })

let folder: FolderLake
let services: ReportServices

// The data begin on Thursday 5 November with two loyal people who come each week. Of four people of the next
// week one comes back in the running week, and two are new in that.
beforeAll(async () => {
  folder = await openFolderLake()
  const visits: [string, string[]][] = [
    ['loyal-1', ['2026-11-05T23:30:00Z', '2026-11-10T10:00:00Z', '2026-11-17T10:00:00Z']],
    ['loyal-2', ['2026-11-06T10:00:00Z', '2026-11-11T10:00:00Z', '2026-11-16T10:00:00Z']],
    ['once-1', ['2026-11-09T10:00:00Z']],
    ['once-2', ['2026-11-10T10:00:00Z']],
    ['once-3', ['2026-11-12T10:00:00Z']],
    ['back', ['2026-11-13T10:00:00Z', '2026-11-17T10:00:00Z']],
    ['new-1', ['2026-11-16T10:00:00Z']],
    ['new-2', ['2026-11-18T10:00:00Z']],
  ]
  const events = visits.flatMap(([user_id, times]) =>
    times.map(time => ({
      ...{ event: 'visit', user_id, session_id: `${user_id}-${time}`, timestamp: Date.parse(time) },
    })),
  )
  const { openLake } = await folder.build({ epochs: [[[recordOf(project, events)]], []], compacted: 2 })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
})
afterAll(() => folder.close())

async function ask(params: Partial<RetentionParams>, call: Partial<ReportCall<RetentionParams>> = {}) {
  const notes = createNotes()
  const query = { period: 'week', cohorts: 8, ...params } as RetentionParams
  const body = await runReport(retention, { ...services, notes }, { project, query, ...call })
  const told = [...notes.warnings].filter(text => text.includes('LEFT_CUT_COHORT'))
  const isCut = notes.caveats.has('LEFT_CUT_COHORT')
  return { ...body, told, caveats: isCut ? ['LEFT_CUT_COHORT'] : undefined }
}

test('the week in which the data begin is not in the average, and a warning says so', async () => {
  const { cohorts, average_rates, caveats, told, range } = await ask({})
  expect(cohorts.map(({ date, rates }) => [date, rates])).toEqual([
    ['2026-11-02', [1, 1, 1]],
    ['2026-11-09', [1, 0.25]],
    ['2026-11-16', [1]],
  ])
  expect([average_rates, caveats]).toEqual([[1, 0.25], ['LEFT_CUT_COHORT']])
  expect(told).toEqual([
    'The cohort of 2026-11-02 is not in `average_rates` (`LEFT_CUT_COHORT`): the first event is of 2026-11-05, so people who came before count as new in it.',
  ])
  expect(range).toEqual({ from: '2026-09-28', to: '2026-11-18', days: 52, running: true })
})

test.each<[string, Partial<RetentionParams>, number[], string | null]>([
  ['the last days, for days', { period: 'day', cohorts: 14 }, [], '2026-11-05'],
  ['the first day in another zone', { period: 'day', cohorts: 14, tz: 'Europe/Berlin' }, [], '2026-11-06'],
  ['events of a name', { event: 'visit' }, [1, 0.25], '2026-11-02'],
  ['a window after the begin of the data', { cohorts: 2 }, [1, 0.25], null],
])('%s: the first cohort of the data alone is left out', async (_, params, average, cut) => {
  const { average_rates, caveats, told } = await ask(params)
  if (average.length > 0) expect(average_rates).toEqual(average)
  expect(caveats).toEqual(cut === null ? undefined : ['LEFT_CUT_COHORT'])
  expect(told.map(text => /cohort of (\S+) is/.exec(text)?.[1])).toEqual(cut === null ? [] : [cut])
})

test('with `since` the range begins there, and a cohort that it cuts is not in the average', async () => {
  const cut = await ask({ since: '2026-11-12' })
  expect(cut.range).toEqual({ from: '2026-11-12', to: '2026-11-18', days: 7, running: true })
  expect(cut.cohorts.map(({ date, rates }) => [date, rates])).toEqual([
    ['2026-11-09', [1, 0.5]],
    ['2026-11-16', [1]],
  ])
  expect([cut.average_rates, cut.caveats]).toEqual([[1], ['LEFT_CUT_COHORT']])
  expect(cut.told).toEqual([
    'The cohort of 2026-11-09 is not in `average_rates` (`LEFT_CUT_COHORT`): the range begins within it, on 2026-11-12, so it lacks people who came earlier.',
  ])
})

test.each<[string, Partial<RetentionParams>, string]>([
  ['a Monday', { since: '2026-11-09' }, '2026-11-09'],
  ['days that begin on a Monday', { days: 9 }, '2026-11-09'],
  ['a date before the first cohort', { since: '2026-01-01', cohorts: 2 }, '2026-11-09'],
])('a range that begins with %s cuts no cohort', async (_, params, from) => {
  const { range, average_rates, caveats, told } = await ask(params)
  expect(range.from).toBe(from)
  expect([average_rates, caveats, told]).toEqual([[1, 0.25], undefined, []])
})

test('what the plan no longer keeps cuts a cohort too', async () => {
  const keptSince = Date.parse('2026-11-10T00:00:00Z')
  const { average_rates, told } = await ask({}, { keptSince })
  expect(average_rates).toEqual([1])
  expect(told).toEqual([expect.stringContaining('the first event is of 2026-11-10')])
})

test('the average is of the cut cohort where there is no other, and the warning says so', async () => {
  const { average_rates, caveats, told } = await ask({ period: 'month' })
  expect([average_rates, caveats]).toEqual([[1], ['LEFT_CUT_COHORT']])
  expect(told).toEqual([
    'The cohort of 2026-11-01 is cut (`LEFT_CUT_COHORT`): the first event is of 2026-11-05, so people who came before count as new in it. There is no other cohort, so `average_rates` is of it.',
  ])
})
