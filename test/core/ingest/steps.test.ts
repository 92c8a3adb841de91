import { expect, test } from 'vitest'
import type { Caller } from '#core/access/caller'
import { BOT_RULES_VERSION } from '#core/ingest/bots'
import { checkCredential } from '#core/ingest/check-credential'
import { checkEvents } from '#core/ingest/check-events'
import { checkOrigin } from '#core/ingest/check-origin'
import { detectBot } from '#core/ingest/detect-bot'
import { enforceEventCaps } from '#core/ingest/enforce-caps'
import { findProject } from '#core/ingest/find-project'
import { ok, type Refuse } from '#core/ingest/results'
import { parseBatch, parseEvent } from '#core/ingest/track-request'
import { noLimits } from '#core/limits/limit-state'
import type { JsonObject } from '#core/text/json-object'
import { testAccount, testCaller, testProject } from '#test/support/account-fixtures'

const project = testProject({ allowed_origins: 'https://shop.example' })
const clock = { now: () => 1_795_000_000_000 }
const trackRequest = parseEvent({ token: 'aat_shop', event: 'signup' })

function callerOf(accountId: string, scopes: Caller['scopes']): Caller {
  return testCaller({
    account: testAccount({ id: accountId }),
    credential: { kind: 'agent_session', id: 'as_1', label: null },
    scopes,
  })
}

test('a live token adds its project', async () => {
  const projects = { byToken: async (token: string) => (token === 'aat_shop' ? project : null) }
  expect(await findProject({ projects })({ trackRequest })).toEqual(ok({ project }))
})

test('an unknown token is refused with INVALID_TOKEN', async () => {
  const step = findProject({ projects: { byToken: async () => null } })
  expect(await step({ trackRequest })).toMatchObject({ result: 'refuse', error: { code: 'INVALID_TOKEN' } })
})

test.each([
  ['https://shop.example', 'ok'],
  [undefined, 'ok'],
  ['https://other.example', 'refuse'],
])('a request from the origin %s gives the result %s', (origin, result) => {
  expect(checkOrigin({ project, sender: { origin } }).result).toBe(result)
})

test('a request without a credential waits for no look-up', () => {
  expect(checkCredential({ project, sender: { findCaller: () => undefined } })).toEqual(
    ok({ isCredentialed: false }),
  )
})

test.each<[string, Caller | null, string]>([
  ['an unknown credential', null, 'AUTH_REQUIRED'],
  ['a credential of another account', callerOf('acc_2', 'all'), 'FORBIDDEN'],
  ['a credential without `projects:write`', callerOf('acc_1', ['projects:read']), 'FORBIDDEN'],
])('%s is refused with %s %s', async (_, caller, code) => {
  expect(await checkCredential({ project, sender: { findCaller: async () => caller } })).toMatchObject({
    result: 'refuse',
    reason: 'credential',
    error: { code },
  })
})

test.each<[string, Caller]>([
  ['`projects:write`', callerOf('acc_1', ['projects:write'])],
  ['all scopes', callerOf('acc_1', 'all')],
])('a credential of the account with %s is the own of the project', async (_, caller) => {
  expect(await checkCredential({ project, sender: { findCaller: async () => caller } })).toEqual(
    ok({ isCredentialed: true }),
  )
})

test.each([
  [false, 'redirect-to-bots'],
  [true, 'ok'],
])('a library with a credential of the project (%s) gives the result %s', (isCredentialed, result) => {
  const step = detectBot({ bots: () => ({ category: 'automation_script', actor: 'curl' }), clock })
  const sender = { userAgent: 'curl/8', brands: undefined }
  expect(step({ project, sender, isCredentialed, trackRequest }).result).toBe(result)
})

test('the record of a bot has its project, its name and the number of events', () => {
  const step = detectBot({ bots: () => ({ category: 'ai_agent', actor: 'GPTBot' }), clock })
  const sender = { userAgent: 'GPTBot', brands: undefined }
  const batch = parseBatch({ token: 'aat_shop', events: [{}, {}, {}] })
  expect(step({ project, sender, isCredentialed: false, trackRequest: batch })).toEqual({
    result: 'redirect-to-bots',
    record: {
      kind: 'bots',
      project_id: 'proj_1',
      account_id: 'acc_1',
      received_at: 1_795_000_000_000,
      category: 'ai_agent',
      actor: 'GPTBot',
      dropped: 3,
      rules_version: BOT_RULES_VERSION,
    },
  })
})

const sender = { userAgent: undefined, brands: undefined, isMobile: false, platform: undefined }

test('good items become events with the time of their arrival', () => {
  const event = {
    json: '{"event":"signup","properties":null,"user_id":null,"session_id":null,"timestamp":1795000000000,"event_id":null}',
    event_id: null,
  }
  expect(checkEvents({ clock })({ trackRequest, sender })).toEqual(
    ok({ events: [event], arrivedAt: 1_795_000_000_000 }),
  )
})

/** The error of POST /track/batch for these events. */
function refusalOf(...events: JsonObject[]) {
  const checked = checkEvents({ clock })({ trackRequest: parseBatch({ token: 'aat_shop', events }), sender })
  const { code, message, extras } = (checked as Refuse).error
  return { code, message, bad_events: extras.fields?.bad_events }
}

const good = { event: 'a' }
const NOT_A_STRING = (index: number) => `Field \`event\` of events[${index}] is not a string. Send a string.`

test('one bad item refuses the whole batch, with its index', () => {
  expect(refusalOf(good, { event: 5 }, good)).toEqual({
    code: 'INVALID_EVENT',
    message: NOT_A_STRING(1),
    bad_events: [{ index: 1, error: 'INVALID_EVENT', message: NOT_A_STRING(1) }],
  })
})

test('a refused batch names every bad item, each with its own error', () => {
  const { code, message, bad_events } = refusalOf(
    { event: 5 },
    good,
    { event: 'a', timestamp: 1 },
    {},
    { event: 'a', properties: [] },
  )
  expect([code, message]).toEqual(['INVALID_EVENT', NOT_A_STRING(0)])
  expect(bad_events).toMatchObject([
    { index: 0, error: 'INVALID_EVENT' },
    { index: 2, error: 'INVALID_TIMESTAMP' },
    { index: 3, error: 'MISSING_FIELDS' },
    { index: 4, error: 'INVALID_PROPERTIES' },
  ])
})

test('100 bad events are all named', () => {
  const { bad_events } = refusalOf(...Array.from({ length: 100 }, () => ({ event: 5 })))
  expect(bad_events).toHaveLength(100)
})

test('a single bad event has no list', () => {
  const checked = checkEvents({ clock })({
    trackRequest: parseEvent({ token: 'aat_shop', event: 5 }),
    sender,
  }) as Refuse
  expect(checked.error.message).toBe('Field `event` is not a string. Send a string.')
  expect(checked.error.extras.fields).toBeUndefined()
})

test('an unexpected error of a check is thrown, not refused', () => {
  const items = [new Proxy({}, { get: () => expect.unreachable('a bug') })]
  const step = checkEvents({ clock })
  expect(() => step({ trackRequest: { ...trackRequest, items }, sender })).toThrow('a bug')
})

const events = ['a', 'b'].map(event => ({ json: `{"event":"${event}"}`, event_id: null }))

test('events within the caps of the account pass, and the caps get their number', () => {
  const calls: unknown[] = []
  const checkEventCaps = (accountId: string, count: number) => {
    calls.push([accountId, count])
    return { limit: 100, remaining: 98, resetsAt: 1_795_000_000_000 }
  }
  const step = enforceEventCaps({ limits: { checkEvents: checkEventCaps } })
  expect(step({ project, events })).toEqual(ok(undefined))
  expect(calls).toEqual([['acc_1', 2]])
})

test('events over a cap are refused with RATE_LIMITED, its reason and the state of the limit', () => {
  const exceeded = {
    message: 'The free plan allows 100 events a month. Upgrade to send more.',
    fields: { reason: 'monthly_event_limit' },
    retryAfter: 3600,
  }
  const state = { limit: 100, remaining: 0, resetsAt: 1_795_000_000_000, exceeded }
  expect(enforceEventCaps({ limits: { checkEvents: () => state } })({ project, events })).toMatchObject({
    result: 'refuse',
    error: {
      code: 'RATE_LIMITED',
      message: exceeded.message,
      extras: {
        fields: { reason: 'monthly_event_limit' },
        retryAfter: 3600,
        headers: {
          'X-RateLimit-Limit': '100',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': '1795000000',
        },
      },
    },
  })
})

test('an install without limits accepts all events', () => {
  expect(enforceEventCaps({ limits: noLimits })({ project, events })).toEqual(ok(undefined))
})
