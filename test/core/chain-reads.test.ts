import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgentSessionStore } from '#core/access/agent-sessions'
import { createAccessStores } from '#core/access-stores'
import { profiles } from '#core/plans/profile'
import { createStores } from '#core/stores'
import { systemClock } from '#providers/system-clock'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'

/** What a request costs the state table before its handler runs. */

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'])

let connection: DynaliteState
let now = Date.UTC(2026, 10, 22)
let reads: string[] = []
let process: ReturnType<typeof openProcess>
beforeAll(async () => {
  connection = await openDynaliteState()
  connection.client.middlewareStack.add(
    (next, { commandName = '' }) =>
      args => {
        if (READS.has(commandName)) reads.push(commandName)
        return next(args)
      },
    { step: 'initialize', name: 'count' },
  )
})
beforeEach(() => {
  // Its caches are empty.
  process = openProcess()
})
afterAll(() => connection.close())

function openProcess() {
  const clock = { ...systemClock, now: () => now }
  const stores = createStores(connection, clock)
  const access = { ...connection, ...stores, clock, log: () => {}, profile: profiles.own, admitted: [] }
  return { ...stores, ...createAccessStores(access) }
}

async function readsOf(work: () => Promise<unknown>): Promise<number> {
  reads = []
  await work()
  return reads.length
}

async function createAccount(): Promise<string> {
  return (await process.accounts.create({ email: 'a@example.com', tier: 'free', complimentary: false })).id
}

const CLIENT = {
  client_type: 'cli',
  client_name: null,
  client_instance_id: null,
  label: null,
  scopes: ['analytics:read' as const],
}

test.each<[string, (id: string) => Promise<() => Promise<unknown>>]>([
  [
    'an agent session',
    async id => {
      const { access_token } = await process.agentSessions.issue(id, CLIENT)
      return () => process.agentSessions.byAccessToken(access_token)
    },
  ],
  [
    'an API key',
    async id => {
      const key = await process.accounts.issueApiKey(id)
      return () => process.accounts.byApiKey(key)
    },
  ],
  [
    'the cookie',
    async id => {
      const { token } = await process.browserSessions.create(id)
      return () => process.browserSessions.byToken(token)
    },
  ],
])('%s costs one read, and nothing again within 5 s', async (_, prepare) => {
  const find = await prepare(await createAccount())
  expect(await readsOf(find)).toBe(1)
  now += 4_999
  expect(await readsOf(find)).toBe(0)
  now += 1
  expect(await readsOf(find)).toBe(1)
})

test('a project costs one read, by its id and, from the second request on, by its name', async () => {
  const account_id = await createAccount()
  const { project } = await process.projects.create({ account: { id: account_id }, name: 'shop' })
  const byName = () => process.projects.resolve(account_id, 'shop')
  expect(await readsOf(() => process.projects.resolve(account_id, project.id))).toBe(1)
  await byName()
  expect(await readsOf(byName)).toBe(1)
})

test('a report asks nothing for a project that another report had in the last 5 s, and its own two reads bring the context and the annotations', async () => {
  const account_id = await createAccount()
  const { project } = await process.projects.create({ account: { id: account_id }, name: 'shop' })
  for (const nameOrId of ['shop', project.id]) await process.projects.resolveRecent(account_id, nameOrId)
  for (const nameOrId of ['shop', project.id])
    expect(await readsOf(() => process.projects.resolveRecent(account_id, nameOrId))).toBe(0)
  const open = async () => (await process.readProject(project))?.contextSince(now)
  expect(await readsOf(open)).toBe(2)
  now += 5_000
  expect(await readsOf(() => process.projects.resolveRecent(account_id, project.id))).toBe(1)
  expect(await process.projects.resolveRecent(account_id, 'new')).toBeNull()
  await openProcess().projects.create({ account: { id: account_id }, name: 'new' })
  expect(await process.projects.resolveRecent(account_id, 'new')).not.toBeNull()
  expect(await process.projects.resolveRecent('acc_other', project.id)).toBeNull()
})

test('a name leads to its new project at once after another process has given it away', async () => {
  const account = { id: await createAccount() }
  const elsewhere = openProcess()
  const { project: first } = await process.projects.create({ account, name: 'shop' })
  expect((await process.projects.resolve(account.id, 'shop'))?.id).toBe(first.id)
  await elsewhere.projects.update(first, { name: 'store' })
  expect(await process.projects.resolve(account.id, 'shop')).toBeNull()
  const { project: second } = await elsewhere.projects.create({ account, name: 'shop' })
  expect((await process.projects.resolve(account.id, 'shop'))?.id).toBe(second.id)
  await elsewhere.projects.remove(second)
  expect(await process.projects.resolve(account.id, 'shop')).toBeNull()
})

test('a plan that another process has changed counts within 5 s', async () => {
  const id = await createAccount()
  const { access_token } = await process.agentSessions.issue(id, CLIENT)
  const tier = async () => (await process.agentSessions.byAccessToken(access_token))?.account.tier
  expect(await tier()).toBe('free')
  await openProcess().accounts.applyPlan(id, 'pro', 1)
  now += 5_000
  expect(await tier()).toBe('pro')
})

test('keys that a busy table leaves unread are read again, and after five tries the request gets UNAVAILABLE', async () => {
  const { access_token } = await process.agentSessions.issue(await createAccount(), CLIENT)
  let busy = 2
  const client = new Proxy(connection.client, {
    get: (target, name) =>
      name === 'batchGet' && busy > 0
        ? async ({ RequestItems }: { RequestItems: object }) => {
            busy -= 1
            return { Responses: {}, UnprocessedKeys: RequestItems }
          }
        : Reflect.get(target, name).bind(target),
  })
  const { accounts } = process
  const sessions = createAgentSessionStore({
    client,
    table: connection.table,
    clock: { now: () => now },
    accounts,
  })
  expect(await sessions.byAccessToken(access_token)).not.toBeNull()
  busy = 9
  now += 5_000
  await expect(sessions.byAccessToken(access_token)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})
