import { beforeAll, expect, test } from 'vitest'
import { addDays, today } from '#dashboard/range'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'

/** Where visits came from, in each view that says it, for visits whose truth is known. */

const drawings = useDrawings()

const name = `origins-${Math.random().toString(36).slice(2)}`
const OWN = 'https://shop.example'
/** So many own pages are a referrer that a list of the most frequent ones has nothing else. */
const OWN_PAGES = 61

type Visit = { user: string; at?: number; properties: Record<string, string> }

const VISITS: Visit[] = [
  { user: 'straight', properties: { path: '/' } },
  { user: 'mailed', properties: { path: '/', utm_campaign: 'spring', utm_medium: 'email' } },
  { user: 'guest', properties: { path: '/%C3%BCber-uns', referrer: 'https://news.example/a' } },
  { user: 'guest-2', properties: { path: '/', referrer: 'http://www.news.example/b' } },
  {
    user: 'known',
    at: Date.now() - 4 * 86_400_000,
    properties: {
      ...{ path: '/', utm_source: 'newsletter', utm_campaign: 'autumn', utm_medium: 'email' },
      ...{ device: 'mobile', browser: 'Firefox', os: 'Android', hostname: 'shop.example' },
    },
  },
  { user: 'known', properties: { path: '/', hostname: 'shop.example', referrer: `${OWN}/basket` } },
  { user: 'nowhere', properties: { path: '' } },
]

beforeAll(async () => {
  const site = { name, allowed_origins: OWN }
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', site, 201)
  const sent = [
    ...VISITS.map(({ user, at, properties }, i) => ({
      ...{ event: 'page_view', user_id: user, session_id: `visit-${i}`, properties },
      ...(at !== undefined && { timestamp: at }),
    })),
    ...Array.from({ length: OWN_PAGES * 2 }, (_, i) => ({
      ...{ event: 'page_view', user_id: `own-${i}`, session_id: `own-${i}` },
      properties: { path: '/basket', hostname: 'shop.example', referrer: `${OWN}/product/${i % OWN_PAGES}` },
    })),
  ]
  for (let i = 0; i < sent.length; i += 50)
    await drawings.post('/track/batch', { token, events: sent.slice(i, i + 50) }, 202)
  await eventually(async () => {
    const stats = await drawings.get<{ totals: { total_events: number } }>(`/stats?project=${name}&since=6d`)
    expect(stats.totals.total_events).toBe(sent.length)
  })
})

const path = (view: string) => `/app/p/${name}${view}`

test('61 own pages hide no outside site, and one site is one row', async () => {
  const overview = await drawings.draw(path('?range=7d&sources=referrer'))
  expect(overview.cells('Sessions by site')).toContainEqual(['news.example', '2'])
  expect(overview.text()).not.toContain('product')
  const sources = await drawings.draw(path('/sources?range=7d&by=referrer'))
  expect(sources.cells('Sessions by site').map(row => row.slice(0, 2))).toContainEqual(['news.example', '2'])
})

test('direct has the visits that nothing explains, and none with a campaign', async () => {
  const channels = (await drawings.draw(path('?range=7d&sources=channel'))).cells('Sessions by channel')
  expect(channels).toContainEqual(['Direct', '1'])
  expect(channels).toContainEqual(['E-mail', '2'])
})

test('a session says its source, campaign, device and country, and when its person first came', async () => {
  const facts = async (session: string) => {
    const page = await drawings.draw(path(`/sessions?range=7d&session=${session}`))
    const terms = page.texts('.detail .facts dt')
    return Object.fromEntries(page.texts('.detail .facts dd').map((value, i) => [terms[i], value]))
  }
  expect(await facts('visit-0')).toMatchObject({ Source: 'Direct' })
  expect(await facts('visit-1')).toMatchObject({
    ...{ Source: 'A campaign without a source', Campaign: 'spring · email' },
  })
  expect(await facts('visit-4')).toMatchObject({
    ...{ Source: 'newsletter', Campaign: 'autumn · email' },
    ...{ Device: 'mobile, Firefox, Android', Country: 'Unknown' },
  })
  const later = await facts('visit-5')
  expect(later.Source).toBe('Own page')
  expect(later['First visit']).toBe((await facts('visit-4')).Start)
})

test('a person says what brought the first visit, also where it is before the range', async () => {
  const page = await drawings.draw(path('/people?range=1d&user=known'))
  const facts = page.texts('.person .facts > div')
  expect(facts).toContain('Sourcenewsletter')
  expect(facts).toContain('Campaignautumn · email')
  expect(facts.find(fact => fact.startsWith('First visit'))).toMatch(/\d\d:\d\d$/)
})

test('an empty path has a name, and one in other letters is shown decoded and still is a filter', async () => {
  const page = await drawings.draw(path('/pages?range=7d'))
  const names = page.cells('Pages by visitors').map(([label]) => label)
  expect(names).toEqual(expect.arrayContaining(['(empty path)', '/über-uns']))
  expect(page.linkOf('/über-uns')).toContain('f=properties.path%3Aeq%3A%2F%25C3%25BCber-uns')
})

test('a chosen day is shown by hours, also beside the same day of another year, whose year is named', async () => {
  const day = addDays(today('Europe/Berlin'), -1)
  for (const more of ['', '&compare=year']) {
    const page = await drawings.draw(path(`?from=${day}&to=${day}${more}`).replace(name, 'demo'))
    const hours = page.cells('Visitors by hour')
    expect(hours, more).toHaveLength(24)
    expect(hours[0]?.[0], more).toBe(`${day}T00:00`)
  }
  const page = await drawings.draw('/app/p/demo?compare=year&range=7d')
  expect(page.text('.toolbar .title')).toContain(String(Number(day.slice(0, 4)) - 1))
})
