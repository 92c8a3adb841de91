import { globSync, readFileSync } from 'node:fs'
import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgentSessionStore } from '#core/access/agent-sessions'
import { createAuthRequestStore } from '#core/access/auth-requests'
import { createBrowserSessionStore } from '#core/access/browser-sessions'
import { createIdentityDirectory } from '#core/access/identities'
import { createPasskeys } from '#core/access/passkeys'
import { createSetupLinks } from '#core/access/setup-links'
import { createShareLinks } from '#core/access/share-links'
import { createSignInAttempts } from '#core/access/sign-in-attempts'
import { profiles } from '#core/plans/profile'
import { createSavedViews } from '#core/projects/saved-views'
import { createViewerLinks } from '#core/replays/viewer-links'
import type { StateTable } from '#core/state/state-table'
import { createStores } from '#core/stores'
import { copyItems, describeCopied } from '#lib/restore/copy-items'
import { restoreRuleOf } from '#lib/restore/kept-items'
import { createWait } from '#lib/restore/wait'
import { systemClock } from '#providers/system-clock'
import { createStateTable, type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import { EMULATOR_ACCESS } from '#test/support/emulators'
import { emptyTable } from '#test/support/test-state'

/**
 * What a restoration does with credentials: a world of real stores, the copy of a moment, and what was
 * revoked, replaced, deleted and made since.
 */

let state: DynaliteState
let dynamo: DynamoDBClient
let moment: StateTable

beforeAll(async () => {
  state = await openDynaliteState()
  moment = { client: state.client, table: 'moment' }
  dynamo = new DynamoDBClient({ endpoint: state.endpoint, ...EMULATOR_ACCESS })
  await createStateTable(dynamo, moment.table)
})
afterAll(() => state.close())

const PERSON = { issuer: 'https://issuer', subject: 'one', email: 'a@example.com', login: null } as const
const CLIENT = {
  client_type: 'agent',
  client_name: null,
  client_instance_id: null,
  label: null,
  scopes: ['projects:read' as const],
}

const PASSKEY = { credential_id: 'id', public_key: 'key', counter: 0, transports: [] }

/** Stores without anything in their caches. */
function openStores() {
  const services = { client: state.client, table: state.table, clock: systemClock }
  const { accounts, projects } = createStores(services, systemClock)
  return {
    ...{ accounts, projects },
    sessions: createAgentSessionStore({ ...services, accounts }),
    requests: createAuthRequestStore(services),
    browsers: createBrowserSessionStore({ ...services, accounts }),
    links: createShareLinks({ ...services, accounts, projects }),
    setup: createSetupLinks(services),
    passkeys: createPasskeys(services),
    attempts: createSignInAttempts(services),
    views: createSavedViews(services),
    identities: createIdentityDirectory({
      ...{ ...services, accounts, profile: profiles.hosted, admitted: [] },
    }),
    viewers: createViewerLinks({
      ...{ ...services, projects, isLive: async () => true },
      replays: { ofProject: async () => ({ id: 'rep_1' }) as never },
    }),
  }
}

async function openWorld() {
  await emptyTable(state)
  await emptyTable(moment)
  const stores = openStores()
  const account = await stores.identities.findOrCreate({ provider: 'idp', ...PERSON })
  const create = async (name: string) =>
    (await stores.projects.create({ account, name, allowed_origins: '*' } as never)).project
  const [project, other] = [await create('shop'), await create('blog')]
  const link = async () => {
    const made = await stores.links.create(project.id, {})
    if (made === null) throw new Error('The project takes no link.')
    return made
  }
  return { ...stores, account, project, other, link }
}

async function takeMoment(): Promise<void> {
  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  for (const Item of Items) await state.client.put({ TableName: moment.table, Item })
}

const restore = () => copyItems({ dynamo, wait: createWait(async () => {}) }, moment.table, state.table)

test('what was revoked, replaced, used or deleted since the moment stays so, and what was made since works', async () => {
  const world = await openWorld()
  const { accounts, sessions, browsers, links, setup, attempts, views, requests, viewers } = world
  const { account, project, other } = world
  const oldKey = await accounts.issueApiKey(account.id)
  const [revoked, lasting] = [
    await sessions.issue(account.id, CLIENT),
    await sessions.issue(account.id, CLIENT),
  ]
  const [oldLink, lastingLink] = [await world.link(), await world.link()]
  const browser = await browsers.create(account.id)
  const setupToken = await setup.issue(account.id)
  const attempt = await attempts.begin({ provider: 'idp', return_to: '/' })
  const request = await requests.start({ client_type: 'agent', scopes: CLIENT.scopes, mode: 'detached' })
  await views.create(project.id, { name: 'of the moment', query: '' })
  await takeMoment()

  const newKey = await accounts.issueApiKey(account.id)
  await sessions.revoke(account.id, revoked.id)
  await links.remove(project.id, oldLink.link.id)
  await browsers.end(browser.token)
  await setup.redeem(setupToken)
  await attempts.end(attempt.token)
  await requests.approve(request.request.id, account)
  await world.projects.remove(other)
  const [newLink, newSession] = [await world.link(), await sessions.issue(account.id, CLIENT)]
  const { session: rotated } = await sessions.refresh(lasting.refresh_token)
  const viewer = await viewers.open({ id: 'rep_1', project_id: project.id } as never, {
    account,
    credential: { kind: 'api_key', id: 'key', label: null },
  })
  const [view] = await views.list(project.id)
  await views.remove(project.id, view?.id ?? '')

  const copied = await restore()

  const now = openStores()
  expect(await now.accounts.byApiKey(oldKey)).toBeNull()
  expect((await now.accounts.byApiKey(newKey))?.id).toBe(account.id)
  expect(await now.sessions.byAccessToken(revoked.access_token)).toBeNull()
  expect(await now.sessions.byAccessToken(newSession.access_token)).not.toBeNull()
  expect(await now.sessions.byAccessToken(rotated.access_token)).not.toBeNull()
  expect(await now.links.byToken(oldLink.token)).toBeNull()
  expect(await now.links.byToken(lastingLink.token)).not.toBeNull()
  expect(await now.links.byToken(newLink.token)).not.toBeNull()
  expect(await now.browsers.byToken(browser.token)).toBeNull()
  expect(await now.setup.redeem(setupToken)).toBeNull()
  expect(await now.attempts.end(attempt.token)).toBeNull()
  expect((await now.requests.get(request.request.id))?.status).toBe('approved')
  expect(await now.viewers.find(viewer.secret)).not.toBeNull()
  expect((await now.projects.byId(other.id))?.deleted_at).not.toBeNull()
  expect((await now.projects.byId(project.id))?.deleted_at).toBeNull()
  // What is no credential is that of the moment.
  expect((await now.views.list(project.id)).map(({ name }) => name)).toEqual(['of the moment'])
  // The link, the browser, the setup link, the attempt and the key; the sessions and the request stay.
  expect(copied.credentials).toMatchObject({ stay: 4, ended: 5 })
  expect(describeCopied(copied)).toMatch(/4 stay, 5 have ended/)
})

test('without the table of now all credentials have ended, and the command says so', async () => {
  const { accounts, sessions, account, link, passkeys, project } = await openWorld()
  const key = await accounts.issueApiKey(account.id)
  const session = await sessions.issue(account.id, CLIENT)
  const { token } = await link()
  await passkeys.add(account.id, PASSKEY, 'Laptop')
  await takeMoment()
  await emptyTable(state)

  const copied = await restore()

  const now = openStores()
  expect((await now.accounts.byId(account.id))?.email).toBe(PERSON.email)
  expect((await now.projects.byId(project.id))?.name).toBe('shop')
  expect(await now.accounts.byApiKey(key)).toBeNull()
  expect(await now.accounts.hasApiKey(account.id)).toBe(false)
  expect(await now.sessions.byAccessToken(session.access_token)).toBeNull()
  expect(await now.links.byToken(token)).toBeNull()
  expect(await now.passkeys.list(account.id)).toEqual([])
  expect(copied.credentials).toMatchObject({
    ...{ stay: 0, ended: 4 },
    endedByKind: { agentsession: 1, apikey: 1, passkeys: 1, sharelinks: 1 },
  })
  expect(describeCopied(copied)).toMatch(/ALL 4 CREDENTIALS OF THE MOMENT HAVE ENDED.*make new API keys/)
  // The person still signs in to the same account.
  expect((await now.identities.find({ provider: 'idp', ...PERSON }))?.id).toBe(account.id)
})

test('an account that was deleted since stays deleted, without its address', async () => {
  const { accounts, account } = await openWorld()
  const key = await accounts.issueApiKey(account.id)
  await takeMoment()
  await accounts.markDeleted(account.id)

  await restore()

  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  expect(JSON.stringify(Items)).not.toContain(PERSON.email)
  expect(await openStores().accounts.byId(account.id)).toBeNull()
  expect(await openStores().accounts.byApiKey(key)).toBeNull()
})

test('an identity that leads to another account since does not open the first one again', async () => {
  const { accounts, identities, account } = await openWorld()
  await takeMoment()
  const next = await accounts.create({ email: 'b@example.com', tier: 'free', complimentary: false })
  await identities.link(next.id, { provider: 'idp', ...PERSON })

  await restore()

  expect(account.id).not.toBe(next.id)
  expect((await openStores().identities.find({ provider: 'idp', ...PERSON }))?.id).toBe(next.id)
})

/** Items of the pipeline, of a person and of a counter, as they are at one time. */
const pipelineItems = (time: string) =>
  [
    ['$footfall', '$lake_1'],
    ['$footfall', '$shard_1#shard_s0'],
    ['$footfall', '$manifest_1#bucket_07'],
    ['$footfall#id_era_1', '$erasure_1'],
    ['identity-levels', 'bucket#7'],
    ['identity-fold', 'head'],
    ['identity#proj_1', 'traits#ada'],
    ['identity#proj_1', 'to#device'],
    ['usage#account', '2026-11#7'],
  ].map(([pk, sk]) => ({ pk, sk, time }))

const put = async (TableName: string, items: readonly object[]) => {
  for (const Item of items) await state.client.put({ TableName, Item: { ...Item } })
}

test('the pipeline, persons and counters stay as the table has them, also what it has no more', async () => {
  await openWorld()
  await put(moment.table, pipelineItems('moment'))
  await put(state.table, pipelineItems('now').slice(0, 6))
  const copied = await restore()
  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  const times = Items.flatMap(({ time }) => (time === undefined ? [] : [time]))
  expect(times).toEqual(Array(6).fill('now'))
  // A random token may have the letters of the id alone.
  expect(JSON.stringify(Items)).not.toContain('#ada')
  expect(copied.pipeline).toBe(9)
  expect(describeCopied(copied)).toContain('9 items of the pipeline')
})

test('erasures that the table has and the moment had not are counted and stay', async () => {
  await openWorld()
  await put(moment.table, pipelineItems('moment'))
  await put(state.table, pipelineItems('now'))
  await put(
    state.table,
    ['era_2', 'era_3'].map(id => ({ pk: `$footfall#id_${id}`, sk: '$erasure_1' })),
  )
  const copied = await restore()
  expect(copied.erasures).toBe(2)
  expect(describeCopied(copied)).toContain('Erasures since the moment stay in force: 2.')
  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  expect(Items.filter(({ sk }) => sk === '$erasure_1')).toHaveLength(3)
})

test('a table that is lost takes all of the pipeline, also by the second call after the first one failed', async () => {
  await openWorld()
  await put(moment.table, pipelineItems('moment'))
  await emptyTable(state)
  const send = dynamo.send.bind(dynamo)
  let writes = 0
  const failing = new Proxy(dynamo, {
    get: (target, name) =>
      name !== 'send'
        ? Reflect.get(target, name)
        : (command: object) =>
            command instanceof BatchWriteItemCommand && ++writes > 4
              ? Promise.reject(new Error('cut'))
              : send(command as never),
  })
  const wait = createWait(async () => {})
  await expect(copyItems({ dynamo: failing, wait }, moment.table, state.table)).rejects.toThrow('cut')
  const copied = await restore()
  const { Items = [] } = await state.client.scan({ TableName: state.table, ConsistentRead: true })
  expect(Items.filter(({ time }) => time === 'moment')).toHaveLength(9)
  expect(describeCopied(copied)).toContain('THE TABLE HAD NO PIPELINE')
})

/** Kinds of core/access that a restoration may bring back: they open nothing. */
const NO_CREDENTIALS = ['registeredclient', 'clientdocument', 'identity']

test('each kind of item of core/access is a credential, or named as none', () => {
  const kinds = globSync('core/access/*.ts').flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/entity: '(\w+)'/g)].map(([, kind]) => kind ?? ''),
  )
  expect(kinds.length).toBeGreaterThanOrEqual(8)
  const ruleOf = (kind: string) => restoreRuleOf({ pk: { S: '$footfall#x_1' }, sk: { S: `$${kind}_1` } })
  expect(kinds.filter(kind => ruleOf(kind) !== 'never').toSorted()).toEqual(NO_CREDENTIALS.toSorted())
})
