import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { goTo, useDashboard } from './dashboard.ts'

/** The live view shows events as they arrive. */

const dashboard = useDashboard()

/** Pause of the page between two polls, ms. */
const POLL_MS = 5_000
const HOSTILE = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`

async function newProject() {
  const name = `live-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  const track = (event: string, more: object = {}) =>
    dashboard.post('/track', { token, event, user_id: 'u1', session_id: 's1', ...more }, 202)
  const live = () => dashboard.get<{ recent_events: unknown[] }>(`/live?project=${name}&window=300`)
  return { name, track, live }
}

const arrivals = (page: Page) => page.getByRole('list', { name: 'Newest events' })
const shownEvents = (page: Page) => arrivals(page).locator('summary strong').allInnerTexts()

/** What the page asks of a path from now on. */
function askedOf(page: Page, path: string): string[] {
  const asked: string[] = []
  page.on('request', request => {
    if (new URL(request.url()).pathname === path) asked.push(request.url())
  })
  return asked
}

/**
 * The page gets no event from a stream, and none with the numbers. Events come only with polls, and the clock
 * of the page stands still until `afterPause` moves it. `change` replaces fields of each answer.
 */
async function onlyPolls(page: Page, change: object = {}): Promise<void> {
  await page.clock.install()
  await page.route('**/live?*', async (route, request) => {
    const isNumbers = !new URL(request.url()).searchParams.has('after')
    const response = await route.fetch()
    const json = { ...(await response.json()), ...change, ...(isNumbers && { recent_events: [] }) }
    await route.fulfill({ response, json })
  })
}

/** Ends the pause of the page between two polls, and returns what it shows then. */
async function afterPause(page: Page): Promise<string[]> {
  await page.clock.fastForward(POLL_MS)
  return shownEvents(page)
}

test('where the service prefers polls, the view asks with the cursor of the answer before', async () => {
  const { name, track } = await newProject()
  const page = await dashboard.open('/app/p/demo/settings', {
    prepare: each => onlyPolls(each, { follow: 'poll' }),
  })
  const [streams, reads] = [askedOf(page, '/stream'), askedOf(page, '/live')]
  await goTo(page, `/app/p/${name}/live`)
  await page.getByText('Nothing happens now').waitFor()
  await track('signup')
  await expect.poll(() => afterPause(page)).toEqual(['signup'])
  expect(streams).toEqual([])
  expect(reads.filter(url => /after=\d+/.test(url)).length).toBeGreaterThan(1)
})

test('without a free stream the view asks every few seconds instead', async () => {
  const { name, track } = await newProject()
  const page = await dashboard.open('/app/p/demo/settings', { prepare: onlyPolls })
  await page.route('**/stream?*', route =>
    route.fulfill({ status: 429, json: { error: 'STREAM_LIMIT', message: 'Ten streams are open.' } }),
  )
  await goTo(page, `/app/p/${name}/live`)
  await page.getByText('Nothing happens now').waitFor()
  await track('signup')
  await expect.poll(() => afterPause(page)).toEqual(['signup'])
  await expect.poll(() => page.locator('[role="status"]:not(.hidden)').innerText()).toBe('Following')
})

test('by keyboard alone: a pause holds the list and the numbers, and afterwards nothing is missing', async () => {
  const { name, track, live } = await newProject()
  await track('page_view', { properties: { path: '/' } })
  await expect.poll(async () => (await live()).recent_events.length).toBe(1)
  const page = await dashboard.visit(`/app/p/${name}/live`)
  await expect.poll(() => shownEvents(page)).toEqual(['Page view'])
  await page.getByRole('button', { name: 'Pause' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Paused').waitFor()
  const asked = askedOf(page, '/stream')
  await track('signup', { user_id: 'u2' })
  await track('purchase', { user_id: 'u3' })
  await expect.poll(async () => (await live()).recent_events.length).toBe(3)
  expect(await shownEvents(page)).toEqual(['Page view'])
  expect(asked).toEqual([])
  await page.keyboard.press('Enter')
  await expect.poll(() => shownEvents(page)).toEqual(['purchase', 'signup', 'Page view'])
  await arrivals(page).locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await arrivals(page).getByRole('link', { name: 'u3' }).waitFor()
})

test('a page that nobody looks at ends its stream, and goes on from there when it is looked at', async () => {
  const { name, track, live } = await newProject()
  const page = await dashboard.open(`/app/p/${name}/live`)
  await track('page_view')
  await expect.poll(() => shownEvents(page)).toEqual(['Page view'])
  const ended = page.waitForEvent('requestfailed', request => request.url().includes('/stream?'))
  const look = (state: string) =>
    page.evaluate(value => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await look('hidden')
  await ended
  await track('signup')
  await expect.poll(async () => (await live()).recent_events.length).toBe(2)
  expect(await shownEvents(page)).toEqual(['Page view'])
  await look('visible')
  await expect.poll(() => shownEvents(page)).toEqual(['signup', 'Page view'])
})

test('the list keeps the newest 100 events', async () => {
  const { name, track } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/live`)
  await page.getByText('Nothing happens now').waitFor()
  for (let i = 0; i < 3; i++) {
    await Promise.all(Array.from({ length: 40 }, (_, j) => track(`event_${i}`, { user_id: `u${j}` })))
  }
  await page.getByText('The newest 100.').waitFor()
  await expect
    .poll(() => shownEvents(page).then(names => names.filter(each => each === 'event_2').length))
    .toBe(40)
  expect((await shownEvents(page)).length).toBe(100)
})

test('events that came before the stream was open are shown behind those that it tells', async () => {
  const { name, track, live } = await newProject()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const page = await dashboard.visit('/app/p/demo/settings')
  await page.route('**/stream?*', route => opened.then(() => route.continue()))
  await goTo(page, `/app/p/${name}/live`)
  await page.getByText('Nothing happens now').waitFor()
  await Promise.all(Array.from({ length: 30 }, (_, i) => track('before', { user_id: `u${i}` })))
  await expect.poll(async () => (await live()).recent_events.length).toBe(10)
  const connected = page.waitForResponse(/\/stream\?/)
  open()
  await connected
  await track('after')
  await expect.poll(() => shownEvents(page)).toEqual(['after', ...Array.from({ length: 30 }, () => 'before')])
})

test('another project has its own events alone', async () => {
  const [first, second] = await Promise.all([newProject(), newProject()])
  await first.track('of_the_first')
  await second.track('of_the_second')
  for (const { live } of [first, second]) {
    await expect.poll(async () => (await live()).recent_events.length).toBe(1)
  }
  const page = await dashboard.open(`/app/p/${first.name}/live`)
  await expect.poll(() => shownEvents(page)).toEqual(['of_the_first'])
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByLabel('Project').selectOption(second.name)
  await page.getByText('Following').waitFor()
  await expect.poll(() => shownEvents(page)).toEqual(['of_the_second'])
  await second.track('later')
  await expect.poll(() => shownEvents(page)).toEqual(['later', 'of_the_second'])
})

test('a plan without live reads is said, and nothing is followed', async () => {
  const page = await dashboard.visit('/app/p/demo/settings')
  const streams = askedOf(page, '/stream')
  await page.route('**/live?*', route =>
    route.fulfill({ status: 403, json: { error: 'PRO_REQUIRED', message: 'Live reads need Pro.' } }),
  )
  await goTo(page, '/app/p/demo/live')
  await page.getByText('This is part of the Pro plan').waitFor()
  expect(streams).toEqual([])
})

test('hostile text of visitors stays text', async () => {
  const { name, track } = await newProject()
  const page = await dashboard.visit(`/app/p/${name}/live`)
  await track(HOSTILE, { user_id: HOSTILE, session_id: HOSTILE, properties: { path: HOSTILE } })
  await arrivals(page).locator('summary').first().click()
  await arrivals(page).getByText(HOSTILE).first().waitFor()
  expect(await page.locator('main img, main script, main a[href^="javascript"]').count()).toBe(0)
  expect(await page.title()).toBe(`${name} · Live · Footfall`)
})

test('the demo is followed with its own session', async () => {
  const page = await dashboard.open('/app/demo', { isSignedOut: true })
  const stream = page.waitForRequest(request => request.url().includes('/stream?'))
  await page.goto('/app/demo/live')
  expect(await (await stream).headerValue('authorization')).toMatch(/^Bearer /)
  await page.getByText('Following').waitFor()
})
