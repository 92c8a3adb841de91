import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { marksOf } from '#dashboard/annotations'
import { addDays, today } from '#dashboard/range'
import { settled, useDashboard, violations } from './dashboard.ts'

/** What the owner has noted stands on the time axes. */

const dashboard = useDashboard()

const at = (occurred_at: string) => ({ occurred_at, title: occurred_at })
const context = (...occurred: string[]) => ({ annotations: occurred.map(at) })

describe('the interval of an annotation', () => {
  const days = ['2026-11-10', '2026-11-11', '2026-11-12']
  const axis = { buckets: days, to: '2026-11-12', zone: 'Europe/Berlin' }
  const index = (occurred: string, changes: Partial<typeof axis> = {}) =>
    marksOf(context(occurred), { ...axis, ...changes })[0]?.index

  test.each([
    ['2026-11-10', 0],
    ['2026-11-12', 2],
    // A date is that of the zone, and a time is that of the place where clocks show it.
    ['2026-11-10T22:59:00Z', 0],
    ['2026-11-10T23:00:00Z', 1],
    ['2026-11-11T00:30:00+01:00', 1],
    ['2026-11-10T23:30', 1],
    ['2026-11-12T22:59:59Z', 2],
  ])('of %s among three days is number %i', (occurred, expected) => {
    expect(index(occurred)).toBe(expected)
  })

  test.each(['2026-11-09', '2026-11-09T22:59:00Z', '2026-11-13', '2026-11-12T23:00:00Z'])(
    '%s is outside of the three days',
    occurred => {
      expect(index(occurred)).toBe(undefined)
    },
  )

  test('is a week, a month or an hour where the chart has these', () => {
    const weeks = { buckets: ['2026-11-02', '2026-11-09'], to: '2026-11-12' }
    expect([index('2026-11-08', weeks), index('2026-11-12', weeks)]).toEqual([0, 1])
    // The week goes on after the range.
    expect(index('2026-11-13', weeks)).toBe(undefined)
    const months = { buckets: ['2026-10', '2026-11'], to: '2026-11-30' }
    expect([index('2026-10-31', months), index('2026-11-01', months)]).toEqual([0, 1])
    const hours = { buckets: ['2026-11-10T00:00', '2026-11-10T01:00'], to: '2026-11-10' }
    expect([index('2026-11-10', hours), index('2026-11-10T00:59:00Z', hours)]).toEqual([0, 1])
  })

  test('a project without a context has no marks', () => {
    expect(marksOf(undefined, axis)).toEqual([])
  })
})

const TITLE = `Release <b>"7"</b>`

/** Adds an annotation of yesterday to an answer, as the service would. */
function withAnnotation(path: string) {
  return async (page: Page) => {
    const annotation = { occurred_at: addDays(today('Europe/Berlin'), -1), title: TITLE }
    await page.route(`**${path}`, async route => {
      const response = await route.fetch()
      const project_context = {
        ...{ goals: [], activation_events: [], glossary: [] },
        annotations: [annotation],
      }
      await route.fulfill({ response, json: { ...(await response.json()), project_context } })
    })
  }
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
])('%s marks what happened, and says it by keyboard', async (_, path, asked, chart) => {
  const page = await dashboard.open(path, { prepare: withAnnotation(asked) })
  await settled(page)
  const picture = page.getByRole('img', { name: chart }).first()
  await picture.locator('.mark').waitFor({ state: 'attached' })
  expect(await picture.locator('.mark title').textContent()).toBe(TITLE)
  await picture.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowLeft')
  const read = page.locator('.readout em')
  await read.waitFor()
  expect(await read.textContent()).toBe(TITLE)
  expect(await violations(page)).toEqual([])
})
