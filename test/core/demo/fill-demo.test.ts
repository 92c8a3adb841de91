import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccessStores } from '#core/access-stores'
import { fillDemo } from '#core/demo/fill-demo'
import { createArrivalOrder } from '#core/ingest/ids'
import { type StreamRecord, unpackRecord } from '#core/ingest/record'
import { profiles } from '#core/limits/profile'
import { createSetupLinks } from '#core/sign-in/setup-links'
import { createStores } from '#core/stores'
import { ownerHandler } from '#lambdas/owner/handler'
import { testProject } from '#test/support/account-fixtures'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
const EVENTS = 3_000

let state: TestState
let now: number
let records: StreamRecord[]
let room: number
const clock = { now: () => now }
const stream = {
  append: async (chunk: readonly Uint8Array[]) => {
    if (records.length >= room) throw new Error('the function has timed out')
    records.push(...chunk.map(unpackRecord))
  },
}
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  now = Date.UTC(2026, 10, 22, 12)
  records = []
  room = Number.POSITIVE_INFINITY
})
afterAll(() => state.close())

const fill = (project = testProject()) =>
  fillDemo({ ...state, stream, ids: createArrivalOrder(), clock }, project, EVENTS)
const events = () => records.flatMap(record => (record.kind === 'events' ? record.events : []))

test('the demo gets a month of events, and bots', async () => {
  expect(await fill()).toBe(records.length)
  expect(events()).toHaveLength(EVENTS)
  const names = new Set(events().map(({ event }) => event))
  for (const name of ['page_view', 'signup_started', 'signup']) expect(names).toContain(name)
  expect(Math.min(...events().map(({ timestamp }) => timestamp))).toBeLessThan(now - 29 * DAY_MS)
  const bots = records.filter(({ kind }) => kind === 'bots')
  expect(bots.length).toBeGreaterThan(10)
})

test('a later call adds only what came since then', async () => {
  await fill()
  const before = now
  records = []
  now += 3 * DAY_MS
  await fill()
  expect(records.length).toBeGreaterThan(10)
  expect(records.every(({ received_at }) => received_at > before && received_at <= now)).toBe(true)
  records = []
  await fill()
  expect(records).toEqual([])
})

test('a call that broke off is continued with the same events, also an hour later', async () => {
  room = 600
  await expect(fill()).rejects.toThrow('timed out')
  const first = events()
  room = Number.POSITIVE_INFINITY
  records = []
  now += 3_600_000
  await fill()
  expect(events().slice(0, first.length)).toEqual(first)
  expect(events()).toHaveLength(EVENTS)
})

test('the owner opens the demo, keeps their key, and a demo session reads the project', async () => {
  const stores = { ...state, ...createStores(state, clock) }
  const access = createAccessStores({ ...stores, clock, log: () => {}, profile: profiles.own, admitted: [] })
  const handle = ownerHandler({
    ...stores,
    audit: access.audit,
    setupLinks: createSetupLinks({ ...state, clock }),
    demo: access.demo,
    fillDemo: fill,
    baseUrl: 'https://footfall.example',
  })
  const owner = (await handle({})) as { api_key: string; account_id: string }
  expect(await access.demo.project()).toBeNull()
  expect(await handle({ demo: true })).toEqual({
    base_url: 'https://footfall.example',
    demo_project: 'demo',
    records: records.length,
  })
  expect(await access.demo.project()).toMatchObject({ name: 'demo', account_id: owner.account_id })
  expect(await stores.accounts.byApiKey(owner.api_key)).not.toBeNull()
  await expect(handle({ demo: 'yes' })).rejects.toMatchObject({ code: 'MISSING_FIELDS' })
})
