import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRefusedCounts } from '#core/identity/fold/refused-counts'
import type { TraitsUpdate } from '#core/identity/traits/known-user'
import { PUBLIC_TRAITS_BYTES } from '#core/identity/traits/public-traits'
import { createTraitsStore } from '#core/identity/traits/traits-store'
import { scanPages } from '#core/query-all'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

/** What strangers with the public token can make of the traits of a project. */

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const PROJECT = 'proj_1'
/** A hundredth of the bound, and of the requests that passed it. */
const MAX_BYTES = Math.floor(PUBLIC_TRAITS_BYTES / 100)
const ATTACK = 200
const LARGE = { text: 'x'.repeat(8_000) }

let seq = 0
function update(user_id: string, more: Partial<TraitsUpdate> = {}): TraitsUpdate {
  seq += 1
  return { user_id, traits: LARGE, email_hash: null, hasCredential: false, at: 1_000, seq, ...more }
}

function open() {
  const traits = createTraitsStore(state, MAX_BYTES)
  const send = async (...updates: TraitsUpdate[]) => (await traits.save(PROJECT, { moves: [], updates })).size
  const known = async (id: string) => (await traits.readTraits(PROJECT, [id]))?.traits ?? null
  return { ...traits, send, known }
}

/** The bytes of all items, as the file has them. */
async function stateBytes(): Promise<number> {
  let bytes = 0
  for await (const items of scanPages(state, {})) bytes += JSON.stringify(items).length
  return bytes
}

const users = (count: number, prefix = 'user') => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

test('20,000 requests without a credential take 64 MB of the state, in hundredths', async () => {
  const { send, known } = open()
  const refused = await send(...users(ATTACK).map(id => update(id)))
  expect(refused).toBeGreaterThan(ATTACK / 2)
  expect(await stateBytes()).toBeLessThan(MAX_BYTES)
  expect(await known('user-0')).toEqual(LARGE)
  expect(await known(`user-${ATTACK - 1}`)).toBeNull()
  expect(await send(...users(ATTACK, 'other').map(id => update(id)))).toBe(ATTACK)
  expect(await stateBytes()).toBeLessThan(MAX_BYTES)
})

test('requests without large traits are bounded too: ids, addresses and empty traits', async () => {
  const { send } = open()
  const requests = users(3_000).map(id =>
    update(id.padEnd(256, 'x'), { traits: {}, email_hash: id.padStart(64, '0') }),
  )
  expect(await send(...requests)).toBeGreaterThan(1_000)
  expect(await stateBytes()).toBeLessThan(MAX_BYTES)
})

test('at the bound, traits with a credential count, and known users may change theirs to smaller ones', async () => {
  const { send, known } = open()
  await send(...users(ATTACK).map(id => update(id)))
  expect(await send(update('owner', { hasCredential: true }))).toBe(0)
  expect(await known('owner')).toEqual(LARGE)
  expect(await send(update('user-0', { traits: { plan: 'pro' } }))).toBe(0)
  expect(await known('user-0')).toEqual({ plan: 'pro' })
})

test('what is removed makes room, and a user who is linked to another takes less', async () => {
  const { send, save, remove } = open()
  await send(...users(ATTACK).map(id => update(id)))
  const retry = (id: string) => send(update(id, { traits: { text: 'x'.repeat(7_000) } }))
  await send(...users(2_000, 'small').map(id => update(id, { traits: {} })))
  expect(await retry('new-1')).toBe(1)
  await remove(PROJECT, ['user-0', 'user-1'])
  expect(await retry('new-1')).toBe(0)
  await save(PROJECT, { moves: [{ from: 'user-2', to: 'user-3' }], updates: [] })
  expect(await retry('new-2')).toBe(0)
})

test('saving again counts nothing twice', async () => {
  const { send } = open()
  const half = users(40).map(id => update(id))
  for (let i = 0; i < 5; i++) expect(await send(...half)).toBe(0)
})

test('traits that an older version did not count, count', async () => {
  const { send } = open()
  await send(...users(70).map(id => update(id)))
  const Key = { pk: `identity#${PROJECT}`, sk: 'public-traits' }
  await state.client.delete({ TableName: state.table, Key })
  expect(await send(...users(40, 'other').map(id => update(id)))).toBeGreaterThan(20)
})

test('each project has its own bound', async () => {
  const { send, save } = open()
  await send(...users(ATTACK).map(id => update(id)))
  expect((await save('proj_2', { moves: [], updates: [update('user-0')] })).size).toBe(0)
})

test('the project counts what it had no room for, once, and the links of these requests are made', async () => {
  const project = testProject({ id: PROJECT })
  const services = { state, lake: createSimulatedLake(), clock: { now: () => 1_000 }, owned: [project] }
  const { write, fold, finals, identity } = createIdentities({ ...services, maxPublicBytes: 20_000 })
  const requests = users(5).map(
    (user_id): Identified => ({
      user_id,
      previous_id: `anon_${user_id}`,
      traits: LARGE,
      hasCredential: false,
    }),
  )
  await write(PROJECT, requests)
  await fold.run()
  await fold.run()
  expect(await createRefusedCounts(state).read(PROJECT)).toEqual({ traits: 3 })
  const ends = await finals(await identity.wantedScope(project))
  expect([ends.get('anon_user-0'), ends.get('anon_user-4')]).toEqual(['user-0', 'user-4'])
})
