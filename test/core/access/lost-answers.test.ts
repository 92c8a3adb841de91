import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentSessionStore } from '#core/access/agent-sessions'
import { createAuthRequestStore } from '#core/access/auth-requests'
import { createBrowserSessionStore } from '#core/access/browser-sessions'
import { createClientRegistry } from '#core/access/client-registry'
import { createSetupLinks } from '#core/access/setup-links'
import { createSignInAttempts } from '#core/access/sign-in-attempts'
import { createAccountStore } from '#core/accounts/store'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

/**
 * The SDK sends a request again when its answer is late or lost, also when the table has done it already. A
 * new item with a random id must not take its own first write for somebody else's.
 */

let state: TestState
let writes = 0
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** The table, to which each write of an item goes twice. */
function twice(): TestState {
  const client = new Proxy(state.client, {
    get(target, method) {
      const call = Reflect.get(target, method)
      if (typeof call !== 'function') return call
      return async (command: { constructor: { name: string } }) => {
        const isWrite = method === 'put' || (method === 'send' && command.constructor.name === 'PutCommand')
        if (!isWrite) return call.call(target, command)
        writes += 1
        await call.call(target, command)
        return call.call(target, command)
      }
    },
  })
  return { ...state, client }
}

const CLIENT = { client_type: 'cli', client_name: 'Terminal', client_instance_id: null, label: null }

test.each<
  [what: string, make: (services: TestState & { clock: ReturnType<typeof createFakeClock> }) => unknown]
>([
  ['an account', services => createAccountStore(services).create(OWNER)],
  [
    'an agent session',
    services =>
      createAgentSessionStore({ ...services, accounts: createAccountStore(services) }).issue('acc_1', {
        ...CLIENT,
        scopes: ['analytics:read'],
      }),
  ],
  [
    'a browser session',
    services =>
      createBrowserSessionStore({ ...services, accounts: createAccountStore(services) }).create('acc_1'),
  ],
  [
    'an auth request',
    services =>
      createAuthRequestStore(services).start({
        mode: 'detached',
        client_type: 'cli',
        scopes: ['analytics:read'],
      }),
  ],
  [
    'an OAuth client',
    services =>
      createClientRegistry(services).register({ client_name: 'A', redirect_uris: ['http://127.0.0.1/a'] }),
  ],
  [
    'a sign-in attempt',
    services => createSignInAttempts(services).begin({ provider: 'idp', return_to: '/' }),
  ],
  ['a setup link', services => createSetupLinks(services).issue('acc_1')],
])('%s is made, although its write comes twice', async (_, make) => {
  writes = 0
  await make({ ...twice(), clock: createFakeClock(Date.UTC(2026, 10, 22)) })
  expect(writes).toBeGreaterThan(0)
})

const OWNER = { email: 'human@example.com', tier: 'free', complimentary: false } as const
