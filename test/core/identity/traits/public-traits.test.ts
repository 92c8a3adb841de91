import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRefusedCounts } from '#core/identity/fold/refused-counts'
import type { TraitsUpdate } from '#core/identity/traits/known-user'
import {
  MAKE_ROOM_EVERY_MS,
  PUBLIC_TRAITS_BYTES,
  PUBLIC_TRAITS_KEPT_MS,
} from '#core/identity/traits/public-traits'
import { createTraitsStore } from '#core/identity/traits/traits-store'
import { scanPages } from '#core/state/query-all'
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

describe('a full project', () => {
  /** When the flood came, and when what it sent is old. */
  const FLOOD = 1_000
  const LATER = FLOOD + PUBLIC_TRAITS_KEPT_MS + 1
  const flood = (count: number, prefix: string, at: number) =>
    users(count, prefix).map(id => update(id, { at }))

  test('forgets what nobody has sent again for 30 days, the oldest first, so new users have room', async () => {
    const { send, known } = open()
    await send(...flood(40, 'first', FLOOD), ...flood(ATTACK, 'second', FLOOD + 1))
    const small = { plan: 'pro' }
    // A user who comes back, and one who came with a credential.
    expect(await send(update('second-0', { at: LATER - 1 }))).toBe(0)
    expect(await send(update('first-0', { hasCredential: true, traits: small, at: LATER - 1 }))).toBe(0)

    expect(await send(update('soon', { at: FLOOD + PUBLIC_TRAITS_KEPT_MS }))).toBe(1)
    expect(await send(update('soon', { at: FLOOD + MAKE_ROOM_EVERY_MS + PUBLIC_TRAITS_KEPT_MS }))).toBe(0)
    expect(await known('first-1')).toBeNull()
    expect(await known('first-0')).toEqual(small)
    expect(await known('second-0')).toEqual(LARGE)
  })

  test('looks for old traits once a day, and a quarter of the bound is free afterwards', async () => {
    const { send } = open()
    await send(...flood(ATTACK, 'flood', FLOOD))
    const rest = await send(...flood(ATTACK, 'new', LATER))
    // What one look has forgotten is a whole slice of users here: all of them.
    expect(rest).toBeLessThan(ATTACK)
    expect(await send(...flood(ATTACK, 'next', LATER + MAKE_ROOM_EVERY_MS - 1))).toBe(ATTACK)
    expect(await stateBytes()).toBeLessThan(MAX_BYTES)
  })

  test('forgets the address of a user too, but not one that came with a credential', async () => {
    const { send, findByEmail, known } = open()
    const email = (id: string, more: Partial<TraitsUpdate> = {}) =>
      update(id, { traits: {}, email_hash: id.padStart(64, '0'), at: FLOOD, ...more })
    await send(email('public'), email('mixed'), email('owner', { hasCredential: true }))
    await send(update('mixed', { traits: { plan: 'pro' }, hasCredential: true, at: FLOOD }))
    await send(...flood(ATTACK, 'flood', FLOOD))
    expect(await send(update('new', { at: LATER }))).toBe(0)
    const found = (id: string) => findByEmail(PROJECT, id.padStart(64, '0'))
    expect([await found('public'), await found('owner')]).toEqual([[], ['owner']])
    // Its traits came with a credential, and its address did not.
    expect(await found('mixed')).toEqual([])
    expect(await known('mixed')).toEqual({ plan: 'pro' })
  })
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
