import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContextStore } from '#core/projects/contexts'
import type { Project } from '#core/projects/project'
import { putPortfolioContext, putProjectContext } from '#schemas/contexts'
import { openTestState, type TestState } from '#test/support/test-state'

const project = { id: 'proj_1', name: 'shop' } as Project
let state: TestState
let contexts: ReturnType<typeof createContextStore>
beforeAll(async () => {
  state = await openTestState()
  const projects = {
    resolve: async (account: string, name: string) =>
      account === 'acc_1' && ['shop', 'proj_1'].includes(name) ? project : null,
  }
  contexts = createContextStore({ ...state, projects })
})
afterAll(() => state.close())

const full = {
  goals: ['More signups'],
  activation_events: ['signup'],
  glossary: [{ event_name: 'signup', term: 'Signup', definition: 'A new account' }],
  annotations: [{ occurred_at: '2026-11-01', title: 'Launch', note: null }],
}

test('a context replaces the one before; lists that are absent become empty', async () => {
  expect(await contexts.ofProject({ id: 'proj_none' })).toEqual(putProjectContext.parse({}))
  await contexts.setProject(project, putProjectContext.parse(full))
  const { annotations } = await contexts.ofProject(project)
  expect(annotations).toEqual([{ occurred_at: '2026-11-01', title: 'Launch' }])
  await contexts.setProject(project, putProjectContext.parse({ goals: ['Less'] }))
  expect(await contexts.ofProject(project)).toEqual({
    goals: ['Less'],
    activation_events: [],
    glossary: [],
    annotations: [],
  })
})

test('a role names a project of the account by name or id, and gets its id', async () => {
  const roles = (surface_roles: object[]) =>
    contexts.setPortfolio('acc_1', putPortfolioContext.parse({ surface_roles }))
  const stored = { surface_roles: [{ project: 'shop', project_id: 'proj_1', role: 'site' }] }
  expect(await roles([{ project: 'shop', role: 'site' }])).toMatchObject(stored)
  expect(await roles([{ project: null, project_id: 'proj_1', role: 'site' }])).toMatchObject(stored)
  await expect(roles([{ project: 'other', role: 'site' }])).rejects.toMatchObject({ code: 'INVALID_BODY' })
  await expect(roles([{ role: 'site' }])).rejects.toMatchObject({ code: 'INVALID_BODY' })
  expect(await contexts.ofPortfolio('acc_1')).toMatchObject(stored)
})

test.each<[string, object]>([
  ['an unknown key', { nope: [] }],
  ['an unknown key of an entry', { annotations: [{ ...full.annotations[0], by: 'me' }] }],
  ['too many goals', { goals: Array(6).fill('a') }],
  ['a goal that is too long', { goals: ['a'.repeat(161)] }],
  ['a date that is none', { annotations: [{ occurred_at: 'yesterday', title: 'x' }] }],
  ['a date that no calendar has', { annotations: [{ occurred_at: '2026-02-30', title: 'x' }] }],
  ['a list of the wrong type', { goals: 'a' }],
  ['101 annotations', { annotations: Array(101).fill(full.annotations[0]) }],
])('%s is refused', (_, context) => {
  expect(putProjectContext.safeParse({ ...full, ...context }).success).toBe(false)
})
