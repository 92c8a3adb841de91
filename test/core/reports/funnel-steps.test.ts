import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_PROJECT_CONTEXT } from '#core/projects/contexts'
import { funnel } from '#core/reports/funnel/funnel'
import { type ReportServices, runReport } from '#core/reports/run/run'
import { funnelBody } from '#schemas/funnel'
import { testProject } from '#test/support/account-fixtures'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { recordOf } from '#test/support/record-of'

const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })

let folder: FolderLake
let services: ReportServices

// Two users sign up, and one of them views the prices and buys.
beforeAll(async () => {
  folder = await openFolderLake()
  const sent = [
    ['u1', 'signup'],
    ['u2', 'signup'],
    ['u2', 'page_view'],
    ['u2', 'buy'],
  ] as const
  const events = sent.map(([user_id, event], i) => ({
    ...{ event, user_id, timestamp: NOW - 60_000 + i },
    properties: {
      plan: user_id === 'u1' ? 'free' : 'pro',
      ...(event === 'page_view' && { path: '/pricing' }),
    },
  }))
  const { openLake } = await folder.build({
    epochs: [[[{ ...recordOf(project, events), country: 'DE' }]]],
  })
  services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
})
afterAll(() => folder.close())

function run(body: object, activation_events: string[] = []) {
  return runReport(funnel, services, {
    project,
    body: funnelBody.parse({ project: 'shop', ...body }),
    context: { ...NO_PROJECT_CONTEXT, activation_events },
  })
}

const bareSteps = [{ event: 'signup' }, { event: 'buy' }]

describe('a funnel takes its steps from the activation events of the context', () => {
  test.each<[string, object]>([
    ['when the request has no steps', {}],
    ['when the request asks for it, even beside steps', { from_context: true, steps: [{ event: 'x' }] }],
  ])('%s', async (_, body) => {
    const given = await run({ steps: bareSteps }, ['signup', 'buy'])
    const ofContext = await run(body, ['signup', 'buy'])
    expect(ofContext.steps.map(({ users }) => users)).toEqual([2, 1])
    expect(ofContext).toEqual({
      ...given,
      steps_source: 'project_context.activation_events',
      caveats: [...given.caveats, 'The steps are the goals of the project context.'],
    })
    expect(given.steps_source).toBe('request.steps')
  })

  test.each(['/pricing', '/pri*'])('of which %s is a view of a page (U151)', async page => {
    const op = page.includes('*') ? 'glob' : 'eq'
    const view = { event: 'page_view', filters: [{ property: 'path', op, value: page }] }
    const given = await run({ steps: [view, { event: 'buy' }] })
    const ofContext = await run({}, [page, 'buy'])
    expect(given.steps.map(({ users }) => users)).toEqual([1, 1])
    expect(ofContext.steps).toEqual(given.steps)
  })

  test('and is refused when the context has fewer than two', async () => {
    await expect(run({}, ['signup'])).rejects.toMatchObject({ code: 'INVALID_FUNNEL_STEPS' })
    await expect(run({ from_context: true, steps: bareSteps })).rejects.toMatchObject({
      code: 'INVALID_FUNNEL_STEPS',
    })
  })
})

test('a filter names its property by `property` or by `field`, with or without its prefix', async () => {
  const filtered = async (filter: object) => {
    const steps = [{ event: 'signup', filters: [{ op: 'eq', value: 'pro', ...filter }] }, { event: 'buy' }]
    return (await run({ steps })).steps.map(({ users }) => users)
  }
  expect(await filtered({ property: 'plan' })).toEqual([1, 1])
  expect(await filtered({ property: 'properties.plan' })).toEqual([1, 1])
  expect(await filtered({ field: 'plan' })).toEqual([1, 1])
  expect(await filtered({ field: 'properties.plan' })).toEqual([1, 1])
})

test('a filter by `country` is about the country of the event, as a breakdown is', async () => {
  const from = async (value: string) => {
    const steps = [{ event: 'signup', filters: [{ property: 'country', op: 'eq', value }] }, { event: 'buy' }]
    return (await run({ steps })).steps.map(({ users }) => users)
  }
  expect([await from('DE'), await from('FR')]).toEqual([
    [2, 1],
    [0, 0],
  ])
})
