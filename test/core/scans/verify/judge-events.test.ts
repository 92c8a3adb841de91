import { expect, test } from 'vitest'
import { judgeEvents } from '#core/scans/verify/judge-events'
import type { ReceivedEvent } from '#core/scans/verify/received'
import { verifiedEvent } from '#schemas/website-scans'

const PLAN = [
  { event: 'signup_started', properties: [{ name: 'place', example: 'header', meaning: '' }] },
  { event: 'demo_requested', properties: [] },
]

function received(event: string, overrides: Partial<ReceivedEvent> = {}): ReceivedEvent {
  return {
    event,
    count: 10,
    last_seen_at: 1_700_000_000_000,
    properties: { place: 10 },
    after_page_view: 0,
    repeats: 0,
    is_used: true,
    ...overrides,
  }
}

function judged(...events: ReceivedEvent[]) {
  const verdicts = judgeEvents(PLAN, { page_views: 100, events })
  for (const verdict of verdicts) verifiedEvent.parse(verdict)
  return verdicts[0]!
}

test('an event that has arrived as planned has no warning, and one that has not is named', () => {
  expect(judgeEvents(PLAN, { page_views: 100, events: [received('signup_started')] })).toEqual([
    {
      event: 'signup_started',
      arrived: true,
      count: 10,
      last_seen_at: 1_700_000_000_000,
      missing_properties: [],
      warnings: [],
    },
    {
      event: 'demo_requested',
      arrived: false,
      count: 0,
      last_seen_at: null,
      missing_properties: [],
      warnings: [],
    },
  ])
})

test('a property that most of the events lack is missing', () => {
  expect(judged(received('signup_started', { properties: { place: 4 } })).missing_properties).toEqual([
    'place',
  ])
  expect(judged(received('signup_started', { properties: { place: 5 } })).missing_properties).toEqual([])
})

test('an event on nearly every page view is called out, but not on a site with few of them', () => {
  const automatic = received('signup_started', { count: 90, after_page_view: 85, properties: { place: 90 } })
  expect(judged(automatic).warnings.join()).toMatch(/85 of 100 page views/)
  expect(
    judgeEvents(PLAN, { page_views: 10, events: [received('signup_started', { after_page_view: 10 })] })[0]
      ?.warnings,
  ).toEqual([])
})

test('events that come twice are called out', () => {
  expect(judged(received('signup_started', { repeats: 5 })).warnings.join()).toMatch(/second listener/)
  expect(judged(received('signup_started', { repeats: 1 })).warnings).toEqual([])
})

test.each(['signupStarted', 'sign-up-started', 'Signup Started', 'signup_startd'])(
  'the same event under the name %s is found',
  other => {
    expect(judged(received(other)).warnings.join()).toMatch(/looks like this event/)
    expect(judged(received('signup_started'), received(other)).warnings.join()).toMatch(/two events/)
  },
)

test.each(['page_view', '$click', 'signup_completed', 'demo_requested'])(
  '%s is no other name of signup_started',
  other => {
    expect(judged(received('signup_started'), received(other)).warnings).toEqual([])
  },
)

test('an event that arrives often and that no report names is called out', () => {
  const often = { count: 100, properties: { place: 100 } }
  expect(judged(received('signup_started', { ...often, is_used: false })).warnings.join()).toMatch(
    /No report/,
  )
  expect(judged(received('signup_started', { ...often, is_used: null })).warnings).toEqual([])
  expect(judged(received('signup_started', { is_used: false })).warnings).toEqual([])
})

test('the name of a stranger in a warning stays in quotes', () => {
  const [verdict] = judgeEvents(PLAN, { page_views: 1, events: [received('Signup "Started"\n')] })
  expect(verdict?.warnings.join()).toContain(JSON.stringify('Signup "Started"\n'))
})
