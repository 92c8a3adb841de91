import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClientRegistry } from '#core/access/client-registry'
import { createOAuthClients } from '#core/access/oauth-clients'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
const WANTED = { client_name: 'A client', redirect_uris: ['http://127.0.0.1/callback'] }

let state: TestState
let now = Date.UTC(2026, 10, 23)
let registry: ReturnType<typeof createClientRegistry>
beforeAll(async () => {
  state = await openTestState()
  registry = createClientRegistry({ ...state, clock: { now: () => now } })
})
afterAll(() => state.close())

test('a registered client is found by its id', async () => {
  const client = await registry.register(WANTED)
  expect(client.id).toMatch(/^aoc_[0-9a-f]{32}$/)
  expect(await registry.find(client.id)).toEqual(client)
  expect(
    await registry.find((await registry.register({ ...WANTED, client_name: undefined })).id),
  ).toMatchObject({
    name: null,
  })
})

test('a registration with which nobody signs in ends after a day, however often it is looked up', async () => {
  const { id } = await registry.register(WANTED)
  now += DAY_MS / 2
  expect(await registry.find(id)).not.toBeNull()
  now += DAY_MS / 2 - 1_000
  expect(await registry.find(id)).not.toBeNull()
  now += 1_000
  expect(await registry.find(id)).toBeNull()
})

test('a registration ends 90 days after the last sign-in with it', async () => {
  const { id } = await registry.register(WANTED)
  await registry.keep(id)
  for (let signIns = 0; signIns < 4; signIns++) {
    now += 89 * DAY_MS
    expect(await registry.find(id)).not.toBeNull()
    await registry.keep(id)
  }
  now += 90 * DAY_MS
  expect(await registry.find(id)).toBeNull()
  // It does not come back.
  await registry.keep(id)
  expect(await registry.find(id)).toBeNull()
})

test.each(['aoc_0', 'https://client.example/x', `aoc_${'0'.repeat(32)}`])(
  'a sign-in with %s keeps nothing',
  async id => {
    await registry.keep(id)
    expect(await registry.find(id)).toBeNull()
  },
)

test.each([undefined, ''])('a request without a client id (%s) is refused', async id => {
  const find = createOAuthClients({ documents: { find: () => Promise.reject() }, registry })
  await expect(find(id, async () => {})).rejects.toMatchObject({ code: 'invalid_request' })
})

test.each([
  'aoc_0',
  `aoc_${'0'.repeat(32)}`,
  'http://client.example/x',
  'javascript:alert(1)',
  'constructor',
])('the id %s is no client', async id => {
  const find = createOAuthClients({ documents: { find: () => Promise.reject() }, registry })
  await expect(find(id, async () => {})).rejects.toMatchObject({ code: 'invalid_client' })
})
