import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUserResolver } from '#core/identity/user-resolver'
import { createLiveBuffer } from '#core/live/buffer'
import { readLive } from '#core/live/read-live'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import { systemClock } from '#providers/system-clock'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import { createIdentities } from '#test/support/identity-files'
import { liveRecord, writeLive } from '#test/support/live-records'
import { oracleIdentity } from '#test/support/oracle/identity'
import { LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)
const PROJECTS = ['proj_a', 'proj_b']

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

const sentEvent = fc.record({
  project: fc.constantFrom(...PROJECTS),
  user_id: fc.constantFrom(null, 'stranger', ...LINKED_IDS),
  session_id: fc.constantFrom('s1', 's2'),
  path: fc.constantFrom('/a', '/b'),
})

test('live reads and streams show the final id of each user, after any identify requests', async () => {
  let resolved = 0
  await fc.assert(
    fc.asyncProperty(
      randomLinks,
      fc.array(sentEvent, { minLength: 1, maxLength: 10 }),
      async (links, events) => {
        await state.empty()
        const { project } = await processLinks(links, { state, lake: createSimulatedLake() })
        const projects = { byId: async (id: string) => project(id), list: async () => PROJECTS.map(project) }
        const clock = { now: () => NOW }
        const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
        const users = createUserResolver({ ...state, projects, clock, bufferMs: 300_000 })
        const tails = createTails(
          { buffer, users, clock: systemClock, log: () => expect.unreachable() },
          { ...TAIL_DEFAULTS, pollMs: 1 },
        )
        const { finalId } = oracleIdentity(links.links, id => (links.isJoined ? 'joined' : id))
        for (const id of PROJECTS) {
          const own = events.filter(event => event.project === id)
          const records = own.map(({ path, ...event }, i) =>
            liveRecord(i, NOW - 5_000 + i, [{ ...event, properties: { path } }]),
          )
          const finals = own.map(({ user_id }) => (user_id === null ? null : finalId(id, user_id)))
          resolved += finals.filter((final, i) => final !== own[i]?.user_id).length
          const subscription = tails.subscribe(id)
          await writeLive(buffer, id, 's', records)

          const { body } = await readLive(
            { buffer, users },
            { project: { id, name: id }, window: { seconds: 60 }, maxEvents: 1_000, maxBytes: 4_000_000 },
          )
          expect(body.recent_events.map(({ user_id }) => user_id)).toEqual(finals.toReversed())
          expect(body.active_visitors).toBe(new Set(finals.filter(final => final !== null)).size)
          for (const { path, visitors } of body.top_pages) {
            const ofPath = own.flatMap((event, i) =>
              event.path === path ? [finals[i] ?? event.session_id] : [],
            )
            expect(visitors).toBe(new Set(ofPath).size)
          }

          const streamed: string[] = []
          await eventually(
            async () => {
              subscription.wake()
              streamed.push(...(await subscription.next()).map(({ block }) => Buffer.from(block).toString()))
              expect(streamed.length).toBe(own.length)
            },
            { everyMs: 1 },
          )
          expect(streamed.map(block => JSON.parse(block.split('data: ')[1] as string).user_id)).toEqual(
            finals,
          )
          await subscription.close()
        }
      },
    ),
    propertySettings(15),
  )
  expect(resolved).toBeGreaterThan(0)
})

test('a link shows in live reads two seconds later, and a project without links reads none', async () => {
  await state.empty()
  let now = NOW
  const clock = { now: () => now }
  const project = testProject({ id: 'proj_a', name: 'a', bucket: 7 })
  const projects = {
    byId: async () => project,
    list: async () => [project],
  }
  let reads = 0
  const client = new Proxy(state.client, {
    get(target, name) {
      const value = target[name as keyof typeof target]
      if (name !== 'batchGet') return typeof value === 'function' ? value.bind(target) : value
      return (request: never) => {
        reads++
        return target.batchGet(request)
      }
    },
  })
  const users = createUserResolver({ ...state, client, projects, clock, bufferMs: 300_000 })
  const { add } = createIdentities({ state, lake: createSimulatedLake(), owned: [project], clock })
  const read = async () =>
    (
      await users.resolveUsers(
        'proj_a',
        ['anon_1', null].map(user_id => ({ user_id, received_at: now })),
      )
    ).map(({ user_id }) => user_id)

  expect(await read()).toEqual(['anon_1', null])
  expect(reads).toBe(0)
  await add('proj_a', [{ previous_id: 'anon_1', user_id: 'ada' }])
  now += 2_000
  expect(await read()).toEqual(['ada', null])
  const first = reads
  expect(first).toBeGreaterThan(0)
  expect(await read()).toEqual(['ada', null])
  expect(reads).toBe(first)
})
