import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSetupLinks } from '#core/access/setup-links'
import { createAccessStores } from '#core/access-stores'
import { fillDemo } from '#core/demo/fill-demo'
import { createExperimentStore, type ExperimentStore } from '#core/experiments/store'
import { createArrivalOrder } from '#core/ingest/ids'
import { type StreamRecord, unpackRecord } from '#core/ingest/record'
import { profiles } from '#core/plans/profile'
import { createStores } from '#core/stores'
import { ownerHandler } from '#lambdas/owner/handler'
import { systemClock } from '#providers/system-clock'
import { EXPOSURE_EVENT } from '#schemas/experiments'
import { testProject } from '#test/support/account-fixtures'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
const EVENTS = 3_000

let state: TestState
let now: number
let records: StreamRecord[]
let room: number
let experiments: ExperimentStore
const clock = { ...systemClock, now: () => now }
const stream = {
  append: async (chunk: readonly Uint8Array[]) => {
    if (records.length >= room) throw new Error('the function has timed out')
    records.push(...chunk.map(unpackRecord))
  },
}
beforeAll(async () => {
  state = await openTestState()
  experiments = createExperimentStore({ ...state, clock })
})
beforeEach(async () => {
  await state.empty()
  now = Date.UTC(2026, 10, 22, 12)
  records = []
  room = Number.POSITIVE_INFINITY
})
afterAll(() => state.close())

const fill = (project = testProject()) =>
  fillDemo({ ...state, stream, experiments, ids: createArrivalOrder(), clock }, project, EVENTS)
const isExposure = ({ event }: { event: string }) => event === EXPOSURE_EVENT
const events = () => records.flatMap(record => (record.kind === 'events' ? record.events : []))

test('the demo gets a month of events, and bots', async () => {
  expect(await fill()).toBe(records.length)
  expect(events().filter(event => !isExposure(event))).toHaveLength(EVENTS)
  const names = new Set(events().map(({ event }) => event))
  for (const name of ['page_view', 'signup_started', 'signup']) expect(names).toContain(name)
  expect(Math.min(...events().map(({ timestamp }) => timestamp))).toBeLessThan(now - 29 * DAY_MS)
  const bots = records.filter(({ kind }) => kind === 'bots')
  expect(bots.length).toBeGreaterThan(10)
})

test('the demo has an experiment that is as old as its traffic, and a later call leaves it as it is', async () => {
  const project = testProject()
  await fill(project)
  const created = await experiments.byId('exp_demo_signup_cta')
  expect(created).toMatchObject({ project_id: project.id, status: 'active', goal_event: 'signup' })
  expect(Date.parse(created?.created_at ?? '')).toBe(now - 30 * DAY_MS)
  now += DAY_MS
  await fill(project)
  expect(await experiments.byId('exp_demo_signup_cta')).toEqual(created)
  // After the demo project was deleted, the id leads to the new one.
  const next = testProject({ id: 'proj_2' })
  await fill(next)
  expect((await experiments.byId('exp_demo_signup_cta'))?.project_id).toBe(next.id)
})

test('a user of the demo sees one variant, each time with the page that has it', async () => {
  await fill()
  const exposures = events().filter(isExposure)
  expect(exposures.length).toBeGreaterThan(100)
  for (const own of Map.groupBy(exposures, ({ user_id }) => user_id).values()) {
    expect(new Set(own.map(({ properties }) => properties?.variant)).size).toBe(1)
  }
  const views = new Set(events().map(({ event, event_id }) => `${event} ${event_id}`))
  for (const { event_id } of exposures) {
    expect(views).toContain(`page_view ${event_id?.replace(/-exposure$/, '')}`)
  }
})

test('the experiment of the demo has the same conversions, whenever it is filled', async () => {
  const conversions = []
  for (const hours of [0, 7, 31, 1_000]) {
    await state.empty()
    records = []
    now = Date.UTC(2026, 10, 22, 12) + hours * 3_600_000 + hours
    await fill()
    conversions.push(new Set(events().flatMap(({ event, user_id }) => (event === 'signup' ? [user_id] : []))))
  }
  expect(conversions[0]?.size).toBeGreaterThan(20)
  expect(new Set(conversions.map(users => [...users].toSorted().join())).size).toBe(1)
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
  expect(events().filter(event => !isExposure(event))).toHaveLength(EVENTS)
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
