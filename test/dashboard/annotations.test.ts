import { describe, expect, test } from 'vitest'
import { marksOf } from '#dashboard/annotations'
import { addDays, today } from '#dashboard/range'
import { useDrawings } from './drawn-view.ts'

/** What the owner has noted stands on the time axes. */

const drawings = useDrawings()

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

test.each([
  ['the overview', '/app/p/demo?range=14d', '/stats', 'Visitors by day'],
  ['the overview of agents', '/app/p/demo?range=14d&who=agents', '/bot-traffic', 'Automated requests by day'],
  ['the view of bots', '/app/p/demo/bots?range=14d', '/bot-traffic', 'Requests of bots by day'],
  [
    'an experiment',
    '/app/p/demo/experiments?experiment=exp_demo_signup_cta&of=signup_cta',
    '/query',
    'Exposures of ',
  ],
])('%s marks what happened', async (_, path, asked, chart) => {
  const annotation = { occurred_at: addDays(today('Europe/Berlin'), -1), title: TITLE }
  const project_context = { goals: [], activation_events: [], glossary: [], annotations: [annotation] }
  const page = await drawings.draw(path, {
    answer: ({ pathname }, ask) =>
      pathname === asked
        ? ask().then(async answer => {
            const body = JSON.stringify({ ...((await answer.json()) as object), project_context })
            return new Response(body, answer)
          })
        : undefined,
  })
  expect(page.texts(`svg[role="img"][aria-label^="${chart}"] .mark title`)[0]).toBe(TITLE)
})
