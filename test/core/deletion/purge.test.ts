import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccessStores } from '#core/access-stores'
import { createPurge } from '#core/deletion/purge'
import { openErasures } from '#core/erasure/open-erasures'
import { profiles } from '#core/plans/profile'
import { createDeletionList, type LakeDeletion } from '#core/state/deletion-list'
import { writeItems } from '#core/state/write-items'
import { createLakeStores, createStores } from '#core/stores'
import { systemClock } from '#providers/system-clock'
import { splitEqually } from '#schemas/assignment'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { crashAfterWrites } from '#test/support/crashing-state'
import { createIdentities } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 10, 22)

let state: TestState
let now = START
const clock = { ...systemClock, now: () => now }
const logged: string[] = []
const log = (code: string) => void logged.push(code)
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  now = START
  logged.length = 0
})
afterAll(() => state.close())

function open(table: { client: TestState['client']; table: string } = state) {
  const lake = createSimulatedLake()
  const stores = { ...createStores(table, clock), ...createLakeStores({ ...table, lake }, clock) }
  const access = createAccessStores({
    ...{ ...table, ...stores, clock, log, profile: profiles.hosted, admitted: [] },
  })
  const deletions = createDeletionList({ ...table, clock })
  const erasures = openErasures({ ...table, ...stores, lake, clock })
  const purge = () => createPurge({ ...table, ...stores, erasures, deletions, clock, log }).tick()
  async function dueInLake() {
    const projects: LakeDeletion[] = []
    for await (const page of deletions.dueInLake()) projects.push(...page)
    return projects
  }
  return { ...stores, ...access, erasures, deletions, purge, dueInLake }
}

/**
 * The items of the table when the fold has done what purges have left to it, without the manifests of the
 * lake, which keep what was erased as tombstones, and without the position of the fold.
 */
async function items(): Promise<Record<string, unknown>[]> {
  const owned = { state, lake: createSimulatedLake(), owned: [], clock }
  await createIdentities(owned).fold.run()
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  return Items.filter(item => item.__edb_e__ !== 'manifest' && item.pk !== 'identity-fold')
}

/** An account with a project, and an item of every kind that belongs to them. */
async function fill({ accounts, projects, identities, ...world }: ReturnType<typeof open>, email: string) {
  const identity = {
    provider: 'idp',
    issuer: 'https://idp.example',
    subject: email,
    email,
    login: 'x',
  } as const
  const account = await identities.findOrCreate(identity)
  await accounts.issueApiKey(account.id)
  await world.agentSessions.issue(account.id, {
    client_type: 'cli',
    client_name: null,
    client_instance_id: null,
    label: null,
    scopes: ['analytics:read'],
  })
  const { project } = await projects.create({
    ...{ account, name: 'shop', allowed_origins: 'shop.com' },
    max_projects: 2,
  })
  await world.contexts.setProject(project, {
    goals: [email],
    activation_events: [],
    glossary: [],
    annotations: [],
  })
  await world.annotations.create(project.id, { occurred_at: '2026-11-20', title: 'Release' })
  await world.savedViews.create(project.id, { name: 'All', query: 'view=pages' })
  const where = { field: 'country', op: 'eq', value: 'DE' } as const
  await world.segments.put(project.id, { name: 'germans', title: null, where, updated_at: now })
  await world.shareLinks.create(project.id, {})
  const variants = splitEqually(['control', 'blue'])
  await world.experiments.create(project, { name: 'cta', variants, goal_event: 'signup' })
  await world.usage.addRead(project.id, account.id, '2026-11-22')
  const bot = {
    ...{ category: 'ai_agent', actor: 'GPTBot', requests: 1, dropped: 1 },
    ...{ last_seen_at: now, rules_version: null },
  } as const
  await world.usage.addBots('shard', '1', [{ project_id: project.id, day: '2026-11-22', quarter: 0, ...bot }])
  await world.feedback.submit({ account_id: account.id, message: 'hello' })
  const key = { credential_id: 'id', public_key: 'key', counter: 0, transports: [] }
  await world.passkeys.add(account.id, key, 'Laptop')
  return { account, project, identity }
}

test('30 days after its deletion a project has only its entry for the lake', async () => {
  const world = open()
  const { project, account } = await fill(world, 'ada@example.com')
  await world.projects.remove(project)
  now += 30 * DAY_MS - 1
  await world.purge()
  expect(await world.projects.byId(project.id)).not.toBeNull()
  now += 1
  await world.purge()
  expect(await world.projects.byId(project.id)).toBeNull()
  expect(await world.dueInLake()).toEqual([{ project_id: project.id, bucket: project.bucket, number: 1 }])
  await world.deletions.finishLake(project.id)
  expect(JSON.stringify(await items())).not.toContain(project.id)
  expect(JSON.stringify(await items())).not.toContain(project.project_token)
  expect((await world.accounts.byId(account.id))?.id).toBe(account.id)
})

test('30 days after its deletion an account has no item, and other accounts keep theirs', async () => {
  const world = open()
  const kept = await fill(world, 'bob@example.com')
  const before = (await items()).length
  const { account, project } = await fill(world, 'ada@example.com')
  expect(await world.passkeys.list(account.id)).toHaveLength(1)
  await world.deleteAccount(account)
  expect(await world.passkeys.list(account.id), 'gone at once').toEqual([])
  now += 30 * DAY_MS
  await world.purge()
  await world.deletions.finishLake(project.id)
  const left = JSON.stringify(await items())
  for (const id of [account.id, project.id, 'ada@example.com']) expect(left).not.toContain(id)
  expect((await items()).length).toBe(before)
  expect((await world.accounts.byId(kept.account.id))?.email).toBe('bob@example.com')
})

test('an address that a new account has taken over stays with it', async () => {
  const world = open()
  const { account, identity } = await fill(world, 'ada@example.com')
  await world.deleteAccount(account)
  const successor = await world.identities.findOrCreate(identity)
  expect(successor.id).not.toBe(account.id)
  now += 30 * DAY_MS
  await world.purge()
  expect((await world.identities.find(identity))?.id).toBe(successor.id)
})

test('after a crash behind any write of the deletion of an account, the purge comes to everything', async () => {
  for (let writes = 0; writes < 9; writes++) {
    await state.empty()
    now = START
    const world = open()
    const { account, project } = await fill(world, 'ada@example.com')
    await open(crashAfterWrites(state, writes))
      .deleteAccount(account)
      .catch(() => {})
    const isMarked = (await world.accounts.byId(account.id)) === null
    for (const days of [30, 30]) {
      now += days * DAY_MS
      await world.purge()
    }
    expect((await world.accounts.deletedAt(account.id)) === null).toBe(true)
    expect((await world.accounts.byId(account.id)) === null).toBe(isMarked)
    expect((await world.projects.byId(project.id)) === null).toBe(isMarked)
  }
})

test('a purge that crashed is finished by the next one', async () => {
  for (const writes of [0, 1, 3, 5, 7]) {
    await state.empty()
    now = START
    const world = open()
    const { account, project } = await fill(world, 'ada@example.com')
    await world.deleteAccount(account)
    now += 30 * DAY_MS
    await open(crashAfterWrites(state, writes))
      .purge()
      .catch(() => {})
    await world.purge()
    await world.deletions.finishLake(project.id)
    expect(await items()).toEqual([])
  }
})

test('a project of many items is purged over several ticks, and others do not wait for it', async () => {
  const world = open()
  const large = await fill(world, 'ada@example.com')
  const small = await fill(world, 'bob@example.com')
  const pk = `usage#${large.project.id}`
  const writes = Array.from({ length: 4_000 }, (_, i) => ({ PutRequest: { Item: { pk, sk: `id#${i}` } } }))
  await writeItems(state, writes)
  for (const { project } of [large, small]) await world.projects.remove(project)
  now += 30 * DAY_MS
  // Each batch of deletions takes 100 ms.
  const slow = new Proxy(state.client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return (command: object, ...rest: unknown[]) => {
        if (command.constructor.name.startsWith('BatchWrite')) now += 100
        return (target.send as (command: object, ...rest: unknown[]) => unknown)(command, ...rest)
      }
    },
  })
  const purge = createPurge({ ...world, ...state, client: slow, clock, log })
  let ticks = 1
  const isGone = async ({ project }: typeof small) => (await world.projects.byId(project.id)) === null
  expect(await purge.tick()).toBe(true)
  expect([await isGone(large), await isGone(small)]).toEqual([false, true])
  while (await purge.tick()) expect(ticks++).toBeLessThan(10)
  expect(ticks).toBeGreaterThan(2)
  expect(await isGone(large)).toBe(true)
  const left = await world.dueInLake()
  expect(left.map(({ number }) => number)).not.toContain(null)
  expect((await items()).filter(item => item.pk === pk)).toEqual([])
  // Nothing more is due for an hour.
  expect(await purge.tick()).toBe(false)
})
