import { expect, test } from 'vitest'
import { SHARED_VIEWS } from '#schemas/share-links'
import { useDrawings } from './drawn-view.ts'
import { count } from './reader.ts'

/** What somebody sees and asks who has a share link and no account. */

const drawings = useDrawings()

const ALL = Object.keys(SHARED_VIEWS)
const VISITOR = { isSignedOut: true }

/** The path of a new link that shows these views. */
async function newLink(views: readonly string[], project = 'demo'): Promise<string> {
  const { url } = await drawings.post<{ url: string }>(`/projects/${project}/share-links`, { views }, 201)
  return new URL(url).pathname
}

test.each([
  ['', ''],
  ['/pages', ''],
  ['/sources', '?goal=signup'],
  ['/events', '?event=signup&prop=plan'],
  ['/funnel', '?step=page_view&step=signup&lost=1'],
  ['/paths', '?goal=signup'],
  ['/retention', ''],
  ['/heatmap', ''],
  ['/bots', ''],
])('the view %s%s asks for nothing that the link does not show, and shows no people', async (view, query) => {
  const page = await drawings.draw(`${await newLink(ALL)}${view}${query}`, VISITOR)
  expect(page.asked.length).toBeGreaterThan(0)
  expect(page.asked.filter(({ status }) => status >= 400)).toEqual([])
  expect(page.text().length).toBeGreaterThan(20)
  expect(page.all('.note.problem')).toEqual([])
  expect(page.all('a[href*="/people"], a[href*="/sessions"], a[href*="lost="]')).toEqual([])
})

test('a visitor is told what is not listed because few people are in it', async () => {
  const link = await newLink(['overview', 'funnel', 'sources'])
  // 60 paths have views in the demo, and the list has ten.
  const whole = await drawings.draw(link, VISITOR)
  expect(whole.text()).toMatch(/Other: [\d,]+ events\. Groups of fewer than five people are not listed/)
  expect(whole.text()).not.toContain('Fewer than five people match')
  const few = await drawings.draw(`${link}?f=country:eq:ZZ`, VISITOR)
  expect(few.asked.filter(({ status }) => status >= 400)).toEqual([])
  expect(few.text()).toContain('Fewer than five people match, or nobody.')
  // Sessions of one person would pass as several people.
  const funnel = await drawings.draw(`${link}/funnel?step=page_view&step=signup&by=session_id`, VISITOR)
  expect(funnel.asked.filter(({ status }) => status >= 400)).toEqual([])
  expect(funnel.all('option[value="session_id"]')).toEqual([])
  // The pages of the site itself are no sources, though a link asks for one property at a time.
  const sources = await drawings.draw(`${link}/sources`, VISITOR)
  const names = sources.cells('Sources by visitors').map(([name]) => name)
  expect(names.length).toBeGreaterThan(2)
  type Sources = { rows: { value: string | null }[] }
  const { rows } = await drawings.get<Sources>('/sources?project=demo&by=referrer&since=29d')
  const outside = ['No other site', ...rows.map(({ value }) => value)]
  expect(names.filter(name => !outside.includes(name?.split('/')[0] ?? ''))).toEqual([])
})

test('a visitor sees the chosen views alone, with the numbers of the API', async () => {
  const page = await drawings.draw(await newLink(['overview', 'pages', 'heatmap']), VISITOR)
  const { totals } = await drawings.get<{ totals: { unique_users: number } }>('/stats?project=demo&since=29d')
  expect(page.tile('visitors')).toBe(count(totals.unique_users))
  expect(page.texts('nav[aria-label="Views"] a')).toEqual(['Overview', 'Pages', 'Heatmap'])
  expect(page.texts('button')).not.toContain('Save view')
  // Numbers of bots are a view of their own, which this link does not show.
  expect(page.all('[aria-label="Whose traffic"]')).toEqual([])
})

test('a link without the overview opens its first view, and an address of another view too', async () => {
  const link = await newLink(['heatmap'])
  for (const path of ['', '/people?user=x']) {
    const page = await drawings.draw(link + path, VISITOR)
    expect(page.address.pathname).toBe(`${link}/heatmap`)
    expect(page.cells('Events by weekday and hour').length).toBeGreaterThan(0)
  }
})

test('a link counts in the zone of its project, and asks for no other one', async () => {
  const zone = 'Pacific/Kiritimati'
  const name = `share-${Math.random().toString(36).slice(2)}`
  await drawings.post('/projects', { name, timezone: zone }, 201)
  const link = await newLink(['heatmap'], name)
  for (const query of ['', '?tz=Etc/GMT%2B1']) {
    const page = await drawings.draw(link + query, VISITOR)
    const asked = page.asked.filter(({ url }) => url.pathname === '/heatmap')
    expect(asked.map(({ url, status }) => [url.searchParams.get('tz'), status])).toEqual([[null, 200]])
    expect(page.texts('select option').filter(text => text.includes('/'))).toEqual([`${zone} (project)`])
  }
})

test('a project without events shows a visitor no token of it', async () => {
  const name = `share-${Math.random().toString(36).slice(2)}`
  const { project_token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const page = await drawings.draw(await newLink(['overview'], name), VISITOR)
  expect(page.text()).toContain('No event has arrived yet')
  expect(JSON.stringify(page.asked)).not.toContain(project_token)
  expect(page.text('.shell')).not.toContain(project_token)
})
