import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Annotations, createAnnotations } from '#core/projects/annotations'
import { type ContextStore, createContextStore } from '#core/projects/contexts'
import type { Project } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { putPortfolioContext, putProjectContext } from '#schemas/contexts'
import { openTestState, type TestState } from '#test/support/test-state'

const project = { id: 'proj_1', name: 'shop' } as Project
let state: TestState
let contexts: ContextStore
let annotations: Annotations
/** What happens while a PUT waits for others. */
let duringWait = async () => {}
let open: (client: StateTable['client']) => ContextStore
beforeAll(async () => {
  state = await openTestState()
  const projects = {
    resolve: async (account: string, name: string) =>
      account === 'acc_1' && ['shop', 'proj_1'].includes(name) ? project : null,
  }
  annotations = createAnnotations(state)
  const clock = { sleep: () => duringWait() }
  open = client => createContextStore({ ...state, client, clock, projects, annotations })
  contexts = open(state.client)
})
afterEach(() => {
  duringWait = async () => {}
})
afterAll(() => state.close())

const full = {
  goals: ['More signups'],
  activation_events: ['signup'],
  glossary: [{ event_name: 'signup', term: 'Signup', definition: 'A new account' }],
  annotations: [{ occurred_at: '2026-11-01', title: 'Launch', note: null }],
}

test('a context replaces the one before; lists that are absent become empty', async () => {
  expect((await contexts.ofProject({ id: 'proj_none' })).context).toEqual(putProjectContext.parse({}))
  await contexts.setProject(project, putProjectContext.parse(full))
  const { annotations } = (await contexts.ofProject(project)).context
  expect(annotations).toEqual([{ occurred_at: '2026-11-01', title: 'Launch' }])
  await contexts.setProject(project, putProjectContext.parse({ goals: ['Less'] }))
  expect((await contexts.ofProject(project)).context).toEqual({
    goals: ['Less'],
    activation_events: [],
    glossary: [],
    annotations: [],
  })
})

test('a role names a project of the account by name or id, and gets its id', async () => {
  const roles = (surface_roles: object[]) =>
    contexts
      .setPortfolio('acc_1', putPortfolioContext.parse({ surface_roles }))
      .then(({ context }) => context)
  const stored = { surface_roles: [{ project: 'shop', project_id: 'proj_1', role: 'site' }] }
  expect(await roles([{ project: 'shop', role: 'site' }])).toMatchObject(stored)
  expect(await roles([{ project: null, project_id: 'proj_1', role: 'site' }])).toMatchObject(stored)
  await expect(roles([{ project: 'other', role: 'site' }])).rejects.toMatchObject({ code: 'INVALID_BODY' })
  await expect(roles([{ role: 'site' }])).rejects.toMatchObject({ code: 'INVALID_BODY' })
  expect((await contexts.ofPortfolio('acc_1')).context).toMatchObject(stored)
})

test.each<[string, object]>([
  ['an unknown key', { nope: [] }],
  ['an unknown key of an entry', { annotations: [{ ...full.annotations[0], by: 'me' }] }],
  ['too many goals', { goals: Array(6).fill('a') }],
  ['a goal that is too long', { goals: ['a'.repeat(161)] }],
  ['a date that is none', { annotations: [{ occurred_at: 'yesterday', title: 'x' }] }],
  ['a date that no calendar has', { annotations: [{ occurred_at: '2026-02-30', title: 'x' }] }],
  ['a list of the wrong type', { goals: 'a' }],
  ['an id that is none', { annotations: [{ ...full.annotations[0], id: 'ann_1' }] }],
  ['101 annotations', { annotations: Array(101).fill(full.annotations[0]) }],
])('%s is refused', (_, context) => {
  expect(putProjectContext.safeParse({ ...full, ...context }).success).toBe(false)
})

/** A store whose next write comes after another request has written. */
function overtakenBy(write: (other: ContextStore) => Promise<unknown>): ContextStore {
  let isNext = true
  const client = new Proxy(state.client, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (name !== 'put') return typeof value === 'function' ? value.bind(target) : value
      return async (input: Parameters<typeof target.put>[0]) => {
        if (isNext) {
          isNext = false
          await write(contexts)
        }
        return target.put(input)
      }
    },
  })
  return open(client)
}

const lists = (fields: object) => putProjectContext.parse(fields)
const common = (fields: object) => putPortfolioContext.parse(fields)

test.each<[string, object, object, object]>([
  ['goals and words', { goals: ['Ours'] }, { glossary: full.glossary }, { glossary: full.glossary }],
  ['annotations and goals', { annotations: full.annotations }, { goals: ['Theirs'] }, { goals: ['Theirs'] }],
  ['the same goals', { goals: ['Same'] }, { goals: ['Same'] }, {}],
])('two PUTs at the same time that change %s keep both changes', async (_, ours, theirs, kept) => {
  const own = { id: `proj_${Math.random()}` }
  const store = overtakenBy(other => other.setProject(own, lists(theirs)))
  const { context, etag } = await store.setProject(own, lists(ours))
  expect(context).toMatchObject({ ...lists(ours), ...kept, annotations: expect.any(Array) })
  expect(await contexts.ofProject(own)).toEqual({ context, etag })
})

test('two PUTs at the same time that change one list differently lose nothing: the second is refused', async () => {
  const own = { id: `proj_${Math.random()}` }
  const store = overtakenBy(other => other.setProject(own, lists({ goals: ['Theirs'] })))
  const refused = store.setProject(own, lists({ goals: ['Ours'], activation_events: ['a'] }))
  await expect(refused).rejects.toMatchObject({
    code: 'CONTEXT_CHANGED',
    message: expect.stringContaining('goals'),
  })
  expect((await contexts.ofProject(own)).context).toEqual(lists({ goals: ['Theirs'] }))
})

test('an emptied list and a portfolio context are protected in the same way', async () => {
  const own = { id: `proj_${Math.random()}` }
  await contexts.setProject(own, lists({ goals: ['Before'] }))
  const emptied = overtakenBy(other => other.setProject(own, lists({ goals: ['Theirs'] })))
  await expect(emptied.setProject(own, lists({}))).rejects.toMatchObject({ code: 'CONTEXT_CHANGED' })
  const account = `acc_${Math.random()}`
  const shared = overtakenBy(other => other.setPortfolio(account, common({ goals: ['Theirs'] })))
  await expect(shared.setPortfolio(account, common({ goals: ['Ours'] }))).rejects.toMatchObject({
    code: 'CONTEXT_CHANGED',
  })
})

test('with If-Match a write that was overtaken is refused, whichever list the other has changed', async () => {
  const own = { id: `proj_${Math.random()}` }
  const { etag } = await contexts.ofProject(own)
  const store = overtakenBy(other => other.setProject(own, lists({ glossary: full.glossary })))
  await expect(store.setProject(own, lists({ goals: ['Ours'] }), etag)).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  })
})

test('a context that an older version has stored has a version too, and can be replaced', async () => {
  const own = { id: `proj_${Math.random()}` }
  const Item = { pk: `context#${own.id}`, sk: 'context', lists: '{"goals":["Old"]}' }
  await state.client.put({ TableName: state.table, Item })
  const { context, etag } = await contexts.ofProject(own)
  expect(context.goals).toEqual(['Old'])
  const { context: after } = await contexts.setProject(own, lists({ goals: ['New'] }), etag)
  expect(after.goals).toEqual(['New'])
})

test('a PUT that arrives while another waits is not lost, and one that follows replaces what it finds', async () => {
  const own = { id: `proj_${Math.random()}` }
  const others: string[] = []
  duringWait = async () => {
    duringWait = async () => {}
    await contexts.setProject(own, lists({ goals: ['Theirs'] }))
    others.push('written')
  }
  await expect(contexts.setProject(own, lists({ goals: ['Ours'] }))).rejects.toMatchObject({
    code: 'CONTEXT_CHANGED',
  })
  expect(others).toEqual(['written'])
  expect((await contexts.setProject(own, lists({ goals: ['Ours'] }))).context.goals).toEqual(['Ours'])
})

test('of ten PUTs at the same time that change one list, one is stored, and the others are told so', async () => {
  const own = { id: `proj_${Math.random()}` }
  const all = Promise.withResolvers<void>()
  let waiting = 0
  duringWait = () => {
    waiting += 1
    if (waiting === 10) all.resolve()
    return all.promise
  }
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) => contexts.setProject(own, lists({ goals: [`Goal ${i}`] }))),
  )
  const stored = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
  expect(stored).toEqual([await contexts.ofProject(own)])
  expect(refused).toEqual(Array(9).fill('CONTEXT_CHANGED'))
})
