import { expect, test } from 'vitest'
import { judgeEvents } from '#core/scans/verify/judge-events'
import type { ReceivedEvent } from '#core/scans/verify/received'
import { verifiedEvent } from '#schemas/website-scans'

const placement = {
  ...{ page: '/pricing', selector: '#start', words: 'Start', also: [] },
  ...{ method: 'attribute' as const, code: 'data-aa-event="signup_started"' },
}
const onServer = {
  ...{ page: null, selector: null, words: null, also: [] },
  ...{ method: 'server' as const, code: 'POST /track {"event":"demo_requested"}' },
}
const PLAN = [
  { event: 'signup_started', properties: [{ name: 'place', example: 'header', meaning: '' }], placement },
  { event: 'demo_requested', properties: [], placement: onServer },
]
const CONTEXT = { refused: [], pages: 'app/ or pages/', server: 'the code of the server' }

function received(event: string, overrides: Partial<ReceivedEvent> = {}): ReceivedEvent {
  return {
    event,
    count: 10,
    last_seen_at: 1_700_000_000_000,
    from: [{ page: '/pricing', place: 'header', count: 10 }],
    properties: { place: 10 },
    after_page_view: 0,
    repeats: 0,
    is_used: true,
    ...overrides,
  }
}

function judged(...events: ReceivedEvent[]) {
  const verdicts = judgeEvents(PLAN, { page_views: 100, events }, CONTEXT)
  for (const verdict of verdicts) verifiedEvent.parse(verdict)
  return verdicts[0]!
}

test('an event that has arrived as planned has no warning, and one that has not is named', () => {
  expect(judgeEvents(PLAN, { page_views: 100, events: [received('signup_started')] }, CONTEXT)).toEqual([
    {
      event: 'signup_started',
      arrived: true,
      count: 10,
      last_seen_at: 1_700_000_000_000,
      from: [{ page: '/pricing', place: 'header', count: 10 }],
      missing_properties: [],
      warnings: [],
      fix: null,
    },
    {
      event: 'demo_requested',
      arrived: false,
      count: 0,
      last_seen_at: null,
      from: [],
      missing_properties: [],
      warnings: [],
      fix: {
        file_hint: 'the code of the server',
        change: 'Send POST /track {"event":"demo_requested"}',
      },
    },
  ])
})

test('a property that most of the events lack is missing', () => {
  expect(judged(received('signup_started', { properties: { place: 4 } })).missing_properties).toEqual([
    'place',
  ])
  expect(judged(received('signup_started', { properties: { place: 5 } })).missing_properties).toEqual([])
})

test('an event on nearly every page view is called out; of few views on each of them', () => {
  const automatic = received('signup_started', { count: 90, after_page_view: 85, properties: { place: 90 } })
  expect(judged(automatic).warnings.join()).toMatch(/85 of 100 page views/)
  expect(judged(automatic).fix).toEqual({
    file_hint: 'the source of "/pricing" in app/ or pages/',
    change: 'Send signup_started when a visitor acts, not when the page is opened.',
  })
  const ofViews = (page_views: number, after_page_view: number) =>
    judgeEvents(PLAN, { page_views, events: [received('signup_started', { after_page_view })] }, CONTEXT)[0]
  expect(ofViews(2, 2)?.warnings.join()).toMatch(/100 of 100 page views/)
  expect(ofViews(10, 9)?.warnings).toEqual([])
  expect(ofViews(1, 1)?.warnings).toEqual([])
})

test('from the second event on an event that comes twice is called out', () => {
  const two = { count: 2, repeats: 1, properties: { place: 2 } }
  expect(judged(received('signup_started', two))).toMatchObject({
    warnings: [expect.stringMatching(/1 of 2 events follow another/)],
    fix: { change: expect.stringMatching(/remove the second listener/) },
  })
})

test('a missing property has the attribute to add, and one of a server its name', () => {
  expect(judged(received('signup_started', { properties: {} })).fix?.change).toBe(
    'Add data-aa-event-place="header" to the element "#start" and to each other one that sends it, with its own values.',
  )
  const [{ properties }] = PLAN as [(typeof PLAN)[number]]
  const [verdict] = judgeEvents(
    [{ event: 'demo_requested', properties, placement: onServer }],
    { page_views: 9, events: [received('demo_requested', { properties: {} })] },
    CONTEXT,
  )
  expect(verdict?.fix).toEqual({
    file_hint: 'the code of the server',
    change: 'Send the properties place with the event.',
  })
})

test('an event that has not arrived says what to add where', () => {
  expect(judged().fix).toEqual({
    file_hint: 'the source of "/pricing" in app/ or pages/',
    change: 'Add data-aa-event="signup_started" to the element "#start"',
  })
})

test('an event that has not arrived says what was refused, and the setting goes first', () => {
  const fix =
    'If pages of it are yours, add https://www.a.test to allowed_origins: https://a.test,https://www.a.test'
  const refused = [{ reason: 'origin', events: 30, last: 'https://www.a.test', fix }]
  const [verdict] = judgeEvents(PLAN, { page_views: 0, events: [] }, { ...CONTEXT, refused })
  expect(verdict).toMatchObject({
    arrived: false,
    warnings: [expect.stringMatching(/^30 events were refused \(origin: "https:\/\/www\.a\.test"\)/)],
    fix: { file_hint: 'no file: the settings of the project', change: fix },
  })
})

test('that only bots sent an event is said, and the advice is still to look at the element', () => {
  const refused = [{ reason: 'bot', events: 4, last: 'curl, library', fix: 'Nothing.' }]
  const [verdict] = judgeEvents(PLAN, { page_views: 0, events: [] }, { ...CONTEXT, refused })
  expect(verdict?.warnings.join()).toMatch(/4 events of robots alone/)
  expect(verdict?.fix?.change).toMatch(/^Add data-aa-event/)
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
  const [verdict] = judgeEvents(PLAN, { page_views: 1, events: [received('Signup "Started"\n')] }, CONTEXT)
  expect(verdict?.warnings.join()).toContain(JSON.stringify('Signup "Started"\n'))
})
