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

test('a registration that nobody uses ends after 90 days', async () => {
  const { id } = await registry.register(WANTED)
  now += 90 * DAY_MS - 1_000
  const { id: later } = await registry.register(WANTED)
  now += 1_000
  expect(await registry.find(id)).toBeNull()
  expect(await registry.find(later)).not.toBeNull()
})

test('each day of use renews a registration', async () => {
  const { id } = await registry.register(WANTED)
  for (let day = 0; day < 4; day++) {
    now += 80 * DAY_MS
    expect(await registry.find(id)).not.toBeNull()
  }
})

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
