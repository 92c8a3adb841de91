import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cells, useDashboard } from './dashboard.ts'

/**
 * The numbers of every view against 200 visits whose truth is known. The truth is counted here from the list
 * of visits, with nothing of the service.
 */

const DAY = 86_400_000
const dashboard = useDashboard()
/** Another name in every run, because the tests of a run share the service. */
const PROJECT = `known-visits-${Math.random().toString(36).slice(2)}`

type View = { at: number; path: string }
type Visit = {
  id: string
  person: string
  day: number
  from: Record<string, string>
  channel: string
  source: string
  device: string
  views: View[]
  signup: number | null
  purchase: { at: number; value: number } | null
}

const SOURCES: [channel: string, source: string, properties: Record<string, string>][] = [
  ['Direct', 'Direct', {}],
  ['Search', 'google', { referrer: 'https://www.google.com/' }],
  ['E-mail', 'newsletter', { utm_source: 'newsletter', utm_medium: 'email' }],
  ['AI assistants', 'chatgpt', { referrer: 'https://chatgpt.com/' }],
  ['Paid search', 'google', { utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'autumn' }],
  ['Other sites', 'blog.example.net', { referrer: 'https://blog.example.net/post' }],
  ['Social networks', 'reddit', { referrer: 'https://www.reddit.com/r/analytics' }],
]
const LATER = ['/docs', '/blog/first', '/docs/api', '/about', '/thanks']
const DEVICES = ['desktop', 'mobile', 'tablet']
/** Midnight UTC of yesterday: no visit is of a day that is not over. */
const YESTERDAY = Math.floor(Date.now() / DAY) * DAY - DAY
/** Days with visits, from `YESTERDAY` back. */
const DAYS = 10

/** From 8:00 UTC on, so that each visit has the same date in UTC and in the zone of the browser. */
const visits = Array.from({ length: 200 }, (_, i): Visit => {
  const [channel, source, from] = SOURCES[i % SOURCES.length] as (typeof SOURCES)[number]
  const day = YESTERDAY - (i % DAYS) * DAY
  const start = day + 8 * 3_600_000 + i * 120_000
  const paths = [i % 3 === 0 ? '/pricing' : '/', ...LATER.slice(0, i % 6)]
  const views = paths.map((path, n) => ({ at: start + n * 45_000, path }))
  const end = start + (paths.length - 1) * 45_000
  return {
    id: `visit-${i}`,
    person: `visitor-${i % 113}`,
    ...{ day, from, channel, source, views },
    device: DEVICES[i % DEVICES.length] as string,
    signup: i % 4 === 0 ? end + 10_000 : null,
    purchase: i % 8 === 0 ? { at: end + 30_000, value: 10 + i } : null,
  }
})

const FROM = dateOf(YESTERDAY - (DAYS - 1) * DAY)
const TO = dateOf(YESTERDAY)
const RANGE = `from=${FROM}&to=${TO}`

beforeAll(async () => {
  const { project_token: token } = await dashboard.post<{ project_token: string }>(
    '/projects',
    { name: PROJECT },
    201,
  )
  const events = visits.flatMap(eventsOf)
  for (let first = 0; first < events.length; first += 100)
    await dashboard.post('/track/batch', { token, events: events.slice(first, first + 100) }, 202)
  await eventually(async () => {
    const stats = await dashboard.get<{ totals: { total_events: number } }>(
      `/stats?project=${PROJECT}&since=${FROM}`,
    )
    expect(stats.totals.total_events).toBe(events.length)
  })
})

function eventsOf(visit: Visit): Record<string, unknown>[] {
  const ofVisit = { user_id: visit.person, session_id: visit.id }
  const { device } = visit
  return [
    ...visit.views.map(({ at, path }, n) => ({
      ...{ ...ofVisit, event: 'page_view', timestamp: at },
      properties: { path, device, ...(n === 0 && visit.from) },
    })),
    ...(visit.signup === null
      ? []
      : [{ ...ofVisit, event: 'signup', timestamp: visit.signup, properties: { device } }]),
    ...(visit.purchase === null
      ? []
      : [
          {
            ...{ ...ofVisit, event: 'purchase', timestamp: visit.purchase.at },
            properties: { device, value: visit.purchase.value, currency: 'EUR' },
          },
        ]),
  ]
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

const open = (view: string, more = '') =>
  dashboard.visit(`/app/p/${PROJECT}${view === 'overview' ? '' : `/${view}`}?${RANGE}${more}`)

const people = (of: readonly Visit[]) => new Set(of.map(({ person }) => person)).size
const pagesOf = ({ views }: Visit) => views.map(({ path }) => path)
const entryOf = (visit: Visit) => visit.views[0]?.path
const exitOf = (visit: Visit) => visit.views.at(-1)?.path
const eventsIn = (visit: Visit) => eventsOf(visit).length

function durationOf({ views, signup, purchase }: Visit): number {
  return (purchase?.at ?? signup ?? (views.at(-1)?.at as number)) - (views[0]?.at as number)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** A part of visits as the dashboard writes it. */
function part(of: readonly Visit[], passes: (visit: Visit) => unknown): string {
  return `${Math.round((of.filter(passes).length / of.length) * 1_000) / 10}%`
}

/** A length as the dashboard writes it; no visit has an hour. */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}

const meanLength = (of: readonly Visit[]) => clock(Math.round(mean(of.map(durationOf))))
const isBounce = ({ signup }: Visit) => signup === null

/** The rows of a table by their first cell, because rows of equal numbers have any order. */
const rowsOf = async (page: Page, table: string) =>
  Object.fromEntries((await cells(page, table)).map(([label, ...numbers]) => [label, numbers]))

/** The groups of visits by a value, each as a row of texts. */
function table(
  groups: (visit: Visit) => readonly string[],
  row: (of: Visit[]) => readonly (string | number)[],
): Record<string, string[]> {
  const values = [...new Set(visits.flatMap(groups))]
  return Object.fromEntries(
    values.map(value => [value, row(visits.filter(each => groups(each).includes(value))).map(String)]),
  )
}

test('the headline numbers are those of the visits', async () => {
  const page = await open('overview')
  const shown = (name: string) => page.locator(`[data-number="${name}"] .num`).innerText()
  expect(await shown('visitors')).toBe(String(people(visits)))
  expect(await shown('sessions')).toBe(String(visits.length))
  expect(await shown('events')).toBe(String(visits.flatMap(eventsOf).length))
  expect(await shown('bounce_rate')).toBe(part(visits, isBounce))
  expect(await shown('single_page_rate')).toBe(part(visits, ({ views }) => views.length === 1))
  expect(await shown('duration')).toBe(meanLength(visits))
  expect(await rowsOf(page, 'Visitors by day')).toEqual(
    table(
      ({ day }) => [dateOf(day)],
      of => [people(of)],
    ),
  )
})

test('the lists of the overview count visitors, and the one of sources sessions', async () => {
  const page = await open('overview')
  expect(await rowsOf(page, 'Pages by visitors')).toEqual(table(pagesOf, of => [people(of)]))
  expect(await rowsOf(page, 'Devices by visitors')).toEqual(
    table(
      ({ device }) => [device],
      of => [people(of)],
    ),
  )
  expect(await rowsOf(page, 'Events by visitors')).toEqual({
    'Page view': [String(people(visits))],
    signup: [String(people(visits.filter(({ signup }) => signup !== null)))],
    purchase: [String(people(visits.filter(({ purchase }) => purchase !== null)))],
  })
  expect(await rowsOf(page, 'Sessions by source')).toEqual(
    table(
      ({ source }) => [source],
      of => [of.length],
    ),
  )
})

test('each source has its sessions, visitors and sign-ups', async () => {
  const page = await open('sources', '&by=channel&goal=signup')
  const rowOf = (of: Visit[]) => [
    ...[of.length, people(of), part(of, isBounce), meanLength(of)],
    ...[of.filter(({ signup }) => signup !== null).length, part(of, ({ signup }) => signup !== null)],
  ]
  expect(await rowsOf(page, 'Sessions by channel')).toEqual(table(({ channel }) => [channel], rowOf))
})

test('each page has its visitors and views, and each first and last page its sessions', async () => {
  const all = await open('pages')
  expect(await rowsOf(all, 'Pages by visitors')).toEqual(
    table(pagesOf, of => [people(of), of.length, of.length, part(of, isBounce)]),
  )
  const ends = { entry: ['Entry', entryOf], exit: ['Exit', exitOf] } as const
  for (const [tab, [word, pageOf]] of Object.entries(ends)) {
    const page = await open('pages', `&list=${tab}`)
    const events = (of: Visit[]) => Math.round(mean(of.map(eventsIn)) * 10) / 10
    expect(await rowsOf(page, `${word} pages by sessions`)).toEqual(
      table(
        visit => [pageOf(visit) as string],
        of => [of.length, of.filter(isBounce).length, part(of, isBounce), meanLength(of), events(of)],
      ),
    )
  }
})

test('each event has its number and its visitors', async () => {
  const page = await open('events')
  const shown = await cells(page, 'Events by number')
  const names = ['page_view', 'signup', 'purchase']
  const expected = names.map(name => {
    const having = (visit: Visit) => eventsOf(visit).filter(({ event }) => event === name)
    const of = visits.filter(visit => having(visit).length > 0)
    return [name === 'page_view' ? 'Page view' : name, `${of.flatMap(having).length}`, `${people(of)}`]
  })
  expect(shown.map(row => row.slice(0, 3))).toEqual(expected)
})

test('a funnel of 30 days has everybody who signed up and who bought', async () => {
  const page = await open('funnel', '&step=page_view&step=signup&step=purchase&window=720')
  const of = (event: 'signup' | 'purchase') => people(visits.filter(visit => visit[event] !== null))
  expect(await page.locator('ol.funnel > li .step .num').allInnerTexts()).toEqual(
    [people(visits), of('signup'), of('purchase')].map(String),
  )
})

test('paths have every session that bought, also where that is beyond the last step', async () => {
  const page = await open('paths', '&goal=purchase')
  expect(await page.locator('.summary').innerText()).toContain(
    `${part(visits, ({ purchase }) => purchase !== null)} of ${visits.length} sessions reached purchase`,
  )
  expect(await rowsOf(page, 'Exit pages by sessions without the goal')).toEqual(
    table(
      visit => [exitOf(visit) as string],
      of => {
        const lost = of.filter(({ purchase }) => purchase === null)
        return [of.length, lost.length, part(of, ({ purchase }) => purchase === null)]
      },
    ),
  )
})

test('each cohort has the visitors of its day, and those who came back', async () => {
  const page = await open('retention', '&period=day')
  const daysOf = Map.groupBy(visits, ({ person }) => person)
  const firsts = [...daysOf.values()].map(of => of.map(({ day }) => day).toSorted((a, b) => a - b))
  const expected = Array.from({ length: DAYS }, (_, i) => {
    const day = YESTERDAY - (DAYS - 1 - i) * DAY
    const cohort = firsts.filter(([first]) => first === day)
    const active = (offset: number) => cohort.filter(days => days.includes(day + offset * DAY)).length
    return [dateOf(day), cohort.length, ...Array.from({ length: DAYS - i }, (_, offset) => active(offset))]
  })
  const shown = await cells(page, 'Retention')
  expect(shown.map(row => row.filter(cell => cell !== '–'))).toEqual(
    expected.filter(([, size]) => size !== 0).map(row => row.map(String)),
  )
})

test('the hours have every event in the zone of the reader', async () => {
  const page = await open('heatmap')
  const hours = new Map<string, number>()
  const zoned = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'long', hour: 'numeric', hourCycle: 'h23', timeZone: 'Europe/Berlin' },
  } as const)
  for (const { timestamp } of visits.flatMap(eventsOf)) {
    const parts = new Map(zoned.formatToParts(Number(timestamp)).map(({ type, value }) => [type, value]))
    const name = `${parts.get('weekday')} ${Number(parts.get('hour'))}`
    hours.set(name, (hours.get(name) ?? 0) + 1)
  }
  // The grid has a row of 24 hours for each weekday; the table behind it has the same name.
  const grid = (await cells(page, 'Events by weekday and hour')).filter(({ length }) => length === 25)
  const shown = grid.flatMap(([weekday, ...counts]) =>
    counts.map((count, hour): [string, number] => [`${weekday} ${hour}`, Number(count)]),
  )
  expect(new Map(shown.filter(([, count]) => count > 0))).toEqual(hours)
})

test('sessions and visitors have their own events', async () => {
  const list = await open('sessions')
  const [newest] = visits.toSorted((a, b) => (b.views[0]?.at ?? 0) - (a.views[0]?.at ?? 0)) as [Visit]
  const row = list.locator(`[data-session="${newest.id}"]`)
  expect(await row.locator('.amounts').innerText()).toBe(
    `${clock(durationOf(newest))}\n${eventsIn(newest)} events`,
  )
  expect(await list.locator('[data-session]').first().getAttribute('data-session')).toBe(newest.id)
  const page = await open('people', '&user=visitor-0')
  const own = visits.filter(({ person }) => person === 'visitor-0')
  expect(await page.locator('[data-number="all-events"] dd').innerText()).toBe(
    String(own.flatMap(eventsOf).length),
  )
  expect(await page.locator('[data-session]').count()).toBe(own.length)
})

test('a filter by click cuts no session: the numbers are those of the visits with it', async () => {
  const page = await open('overview', '&f=properties.device:eq:mobile')
  const mobile = visits.filter(({ device }) => device === 'mobile')
  const shown = (name: string) => page.locator(`[data-number="${name}"] .num`).innerText()
  expect(await shown('visitors')).toBe(String(people(mobile)))
  expect(await shown('sessions')).toBe(String(mobile.length))
  expect(await shown('duration')).toBe(meanLength(mobile))
  expect(await rowsOf(page, 'Sessions by source')).toEqual(
    Object.fromEntries(
      Object.entries(Object.groupBy(mobile, ({ source }) => source)).map(([name, of = []]) => [
        name,
        [String(of.length)],
      ]),
    ),
  )
})

test('visitors of past days are not counted as active now', async () => {
  const page = await open('live')
  const active = page.getByText('Active visitors').locator('xpath=following-sibling::*[1]')
  await expect.poll(() => active.innerText()).toBe('0')
})
