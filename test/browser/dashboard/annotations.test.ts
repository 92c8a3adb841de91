import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addDays, today } from '#dashboard/range'
import { useDashboard, violations } from './dashboard.ts'

/** The marks of a chart by keyboard. What is marked where is in test/dashboard/annotations.test.ts. */

const dashboard = useDashboard()

const TITLE = `Release <b>"7"</b>`

/** Adds an annotation of yesterday to an answer, as the service would. */
async function addAnnotation(page: Page, path: string): Promise<void> {
  const annotation = { occurred_at: addDays(today('Europe/Berlin'), -1), title: TITLE }
  const project_context = { goals: [], activation_events: [], glossary: [], annotations: [annotation] }
  await page.route(`**${path}`, async route => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), project_context } })
  })
}

test.each([
  ['the overview', '/app/p/demo?range=14d', '/stats?*', 'Visitors by day'],
  [
    'the overview of agents',
    '/app/p/demo?range=14d&who=agents',
    '/bot-traffic?*',
    'Automated requests by day',
  ],
  ['the view of bots', '/app/p/demo/bots?range=14d', '/bot-traffic?*', 'Requests of bots by day'],
  [
    'an experiment',
    '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta',
    '/query',
    /^Exposures of .* by day/,
  ],
])('%s says by keyboard what happened', async (_, path, asked, chart) => {
  const page = await dashboard.visit('/app/p/demo/settings')
  await addAnnotation(page, asked)
  // The page may know the answer without it.
  await page.goto(path)
  const picture = page.getByRole('img', { name: chart }).first()
  await picture.locator('.mark').waitFor({ state: 'attached' })
  await picture.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  const read = page.locator('.readout em')
  await read.waitFor()
  expect(await read.textContent()).toBe(TITLE)
  expect(await violations(page, 'main section.panel:has(.readout em)')).toEqual([])
})
