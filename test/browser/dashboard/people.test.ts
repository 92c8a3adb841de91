import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useDashboard } from './dashboard.ts'

/** The view of people finds a person by keyboard, and erases one. */

const dashboard = useDashboard()

const HOSTILE = `"><img src=x onerror="fetch('https://evil.test')"><script>document.title='owned'</script>`

async function newProject(): Promise<{ name: string; token: string }> {
  const name = `people-${Math.random().toString(36).slice(2)}`
  const created = await dashboard.post<{ project_token: string }>('/projects', { name }, 201)
  return { name, token: created.project_token }
}

/** Waits until the reports have the event of a person: they are two seconds behind. */
function arrived(project: string, user_id: string): Promise<void> {
  return eventually(async () => {
    const { events } = await dashboard.post<{ events: unknown[] }>('/journey', { project, user_id })
    expect(events).toHaveLength(1)
  })
}

test('by keyboard alone: an e-mail address finds its person and is not in the address; an unknown one is said', async () => {
  const { name, token } = await newProject()
  await dashboard.post('/track', { token, event: 'signup', user_id: 'ada', session_id: 's1' }, 202)
  const traits = { email: 'ada@example.com', note: HOSTILE }
  await dashboard.post('/identify', { token, previous_id: 'anon_0123456789ab', user_id: 'ada', traits }, 202)
  // Events and identify requests are stored by two consumers, and the view asks only once.
  const lookUp = () =>
    dashboard.post<{ profiles: unknown[] }>('/journey/lookup', { project: name, email: traits.email })
  await eventually(async () => expect((await lookUp()).profiles).toHaveLength(1))
  await arrived(name, 'ada')
  const page = await dashboard.visit(`/app/p/${name}/people?range=7d`)
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

test('a person is erased after their id is typed, and the receipt stands in their place', async () => {
  const { name, token } = await newProject()
  await dashboard.post('/track', { token, event: 'signup', user_id: 'user/1', session_id: 's1' }, 202)
  await arrived(name, 'user/1')
  const page = await dashboard.visit(`/app/p/${name}/people?range=7d&user=user%2F1`)
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
