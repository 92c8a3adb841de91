import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { LocalQueryEngine } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import type { ExperimentRecord, ExperimentResults } from '#schemas/experiments'
import { routes } from '#schemas/routes'
import { type BuiltLake, buildLake } from '#test/support/build-lake'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'
import { openTestEngine } from '#test/support/test-engine'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LONG = 'x'.repeat(100_000)

let dir: string
let engine: LocalQueryEngine
let openReadLake: BuiltLake['openLake']
let service: HttpService
let project: Project

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'footfall-experiments-'))
  engine = await openTestEngine({ lakeDir: join(dir, 'lake') })
  service = await openHttpService({ reading: { engine, openLake: () => openReadLake() } })
  await fillLake([])
})
beforeEach(async () => {
  project = await service.createProject()
})
afterAll(async () => {
  await service.close()
  await engine.close()
  await rm(dir, { recursive: true, force: true })
})

type Sent = { user: string | null; event: string; at: number; properties?: Record<string, unknown> }

let fills = 0

/**
 * Fills an empty lake with events of the project. A key of the lake holds one content for ever, so each fill
 * has its own.
 */
async function fillLake(sent: Sent[]): Promise<void> {
  const lake = createFolderLake(join(dir, 'lake'))
  const events = sent.map(({ user, event, at, properties = {} }) => ({
    ...{ event, properties, user_id: user, session_id: 's', timestamp: at, event_id: null },
  }))
  const records = sent.length === 0 ? [] : [{ ...RECORD, ...headOf(project), events }]
  await rm(join(dir, 'lake'), { recursive: true, force: true })
  const built = await buildLake({
    lake,
    tempDir: join(dir, 'temp'),
    epochs: [[records]],
    shard: String(++fills),
  })
  openReadLake = built.openLake
}

const RECORD = { kind: 'events' as const, account_id: 'acc_1', seq: 1, country: null }
const headOf = ({ id, bucket }: Project) => ({ project_id: id, bucket, received_at: service.now() })

const exposure = (user: string, variant: string, at: number, more = {}): Sent => ({
  ...{ user, event: '$experiment_exposure', at },
  properties: { experiment: 'cta', variant, ...more },
})

async function create(fields: object = {}, options: RequestOptions = {}) {
  const body = { project: project.name, name: 'cta', variants: ['control', 'blue'], goal_event: 'signup' }
  return service.call(routes.createExperiment, { ...options, body: { ...body, ...fields } })
}

async function created(fields: Record<string, unknown> = {}): Promise<ExperimentRecord> {
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  return body as ExperimentRecord
}

const read = (id: string, options: RequestOptions = {}) =>
  service.call(routes.readExperiment, { id, ...options })
const update = (id: string, body: Record<string, unknown>) =>
  service.call(routes.updateExperiment, { id, body })

test('a new experiment is active, has the weights of an equal split, and is in the list and in the configuration', async () => {
  const experiment = await created({ variants: ['a', 'b', 'c'] })
  const time = new Date(service.now()).toISOString()
  expect(experiment).toEqual({
    id: expect.stringMatching(/^exp_[0-9a-f]{16}$/),
    project_id: project.id,
    account_id: service.owner.id,
    name: 'cta',
    variants: [
      { key: 'a', weight: 34 },
      { key: 'b', weight: 33 },
      { key: 'c', weight: 33 },
    ],
    goal_event: 'signup',
    status: 'active',
    winner: null,
    created_at: time,
    updated_at: time,
    completed_at: null,
    started_at: time,
    ended_at: null,
    smallest_effect: 0.2,
    planned_size: null,
  })
  const list = await service.call(routes.listExperiments, { query: { project: project.id } })
  expect(list.body).toEqual({ experiments: [experiment] })
  const config = await service.call(routes.experimentsConfig, {
    query: { token: project.project_token },
    key: null,
  })
  expect(config.body).toEqual({ experiments: [{ key: 'cta', variants: experiment.variants }] })
})

test('weights come in `weights` or in `variants`', async () => {
  const { variants } = await created({ weights: [90, 10] })
  expect(variants.map(({ weight }) => weight)).toEqual([90, 10])
  expect((await created({ name: 'again', variants })).variants).toEqual(variants)
})

const BAD_EXPERIMENTS: [fields: object, code: string][] = [
  [{ variants: ['a'] }, 'INVALID_VARIANTS'],
  [{ variants: ['a', LONG] }, 'INVALID_VARIANTS'],
  [{ variants: 'a,b' }, 'INVALID_VARIANTS'],
  [{ weights: [50, 51] }, 'INVALID_VARIANTS'],
  [{ weights: LONG }, 'INVALID_VARIANTS'],
  ...['', 'a b', LONG, 7].map((name): [object, string] => [{ name }, 'MISSING_FIELDS']),
  ...['', 'x'.repeat(257), ['signup']].map((goal_event): [object, string] => [
    { goal_event },
    'MISSING_FIELDS',
  ]),
  ...[0, 0.009, 1.01, -0.2, '0.1'].map((smallest_effect): [object, string] => [
    { smallest_effect },
    'MISSING_FIELDS',
  ]),
  ...[0, 99, 100.5, 1e9, '500'].map((planned_size): [object, string] => [{ planned_size }, 'MISSING_FIELDS']),
]

test('an experiment with a bad field is refused, and not created', async () => {
  for (const [fields, code] of BAD_EXPERIMENTS) {
    const { status, body } = await create(fields)
    expect([fields, status, body.error]).toEqual([fields, 400, code])
  }
  expect(await service.experiments.list(project)).toEqual([])
})

test('a name is taken once in a project', async () => {
  await created()
  const { status, body } = await create({ variants: ['x', 'y'] })
  expect([status, body.error]).toEqual([409, 'EXPERIMENT_NAME_EXISTS'])
})

test('experiments are listed with the newest first, without results', async () => {
  for (const name of ['one', 'two']) {
    await created({ name })
    service.wait(1)
  }
  const { body } = await service.call(routes.listExperiments, { query: { project: project.name } })
  const experiments = body.experiments as ExperimentRecord[]
  expect(experiments.map(({ name }) => name)).toEqual(['two', 'one'])
  expect(experiments[0]).not.toHaveProperty('results')
})

test('the results have users by their first exposure, without forced exposures and what came before or after', async () => {
  const experiment = await created()
  const start = service.now()
  service.wait(HOUR_MS)
  const at = (minutes: number) => start + minutes * 60_000
  await fillLake([
    exposure('early', 'control', at(-1)),
    exposure('ann', 'blue', at(1)),
    exposure('ann', 'control', at(2)),
    { user: 'ann', event: 'signup', at: at(3) },
    { user: 'bob', event: 'signup', at: at(4) },
    exposure('bob', 'control', at(5)),
    exposure('eve', 'blue', at(6), { forced: true }),
    { user: 'eve', event: 'signup', at: at(7) },
    exposure('dan', 'purple', at(8)),
    exposure('fay', 'control', at(9), { experiment: 'other' }),
    { ...exposure('', 'control', at(10)), user: null },
  ])
  const { status, body } = await read(experiment.id)
  const { results, caveats: _, ...record } = body
  expect([status, record]).toEqual([200, experiment])
  expect(results).toEqual({
    variants: [
      { key: 'control', exposures: 3, unique_users: 1, conversions: 0, conversion_rate: 0 },
      { key: 'blue', exposures: 1, unique_users: 1, conversions: 1, conversion_rate: 1 },
    ],
    probability_best: { control: 0.167, blue: 0.833 },
    lift: { control: -1, blue: 0 },
    lift_interval: { control: [-0.981, 1.582], blue: [-0.613, 52.336] },
    decision_interval: { control: [-0.999, 9.541], blue: [-0.906, 1_024] },
    decision: 'keep_running',
    plan: {
      ...{ size: null, smallest_effect: 0.2, decides_at: null },
      first_exposure_at: new Date(at(1)).toISOString(),
      rule: expect.stringMatching(
        /^Ship a variant when three things hold: its interval of 99.7 % excludes zero, 7 whole days/,
      ),
    },
    sufficient_data: false,
    recommendation:
      'More data is needed: every variant needs at least 100 exposures, and `control` has 3, `blue` has 1. Keep it running: the planned size is known from 10 conversions on.',
  })

  // Completion ends the window, and the results decide who has won.
  const { body: completed } = await update(experiment.id, { status: 'completed', winner: null })
  expect(completed).toMatchObject({ status: 'completed', winner: 'blue' })
  const end = service.now()
  expect(completed.completed_at).toBe(new Date(end).toISOString())
  service.wait(HOUR_MS)
  await fillLake([
    exposure('ann', 'blue', at(1)),
    exposure('gil', 'control', end),
    exposure('hal', 'control', end + 1),
  ])
  const { variants } = (await read(experiment.id)).body.results as { variants: { unique_users: number }[] }
  expect(variants.map(({ unique_users }) => unique_users)).toEqual([1, 1])
  await fillLake([])
})

test('the planned size and the smallest effect are those of the creation, in the list and in the results', async () => {
  for (const [name, asked] of [
    ['effect', { smallest_effect: 0.05, planned_size: null }],
    ['size', { planned_size: 2_500, smallest_effect: null }],
    ['both', { planned_size: 2_500, smallest_effect: 1 }],
  ] as const) {
    const experiment = await created({ name, ...asked })
    expect(experiment).toMatchObject(asked)
    const { results, ...record } = (await read(experiment.id)).body
    expect([record, results]).toMatchObject([experiment, { plan: { size: asked.planned_size } }])
  }
  const { body } = await service.call(routes.listExperiments, { query: { project: project.name } })
  expect(body.experiments).toHaveLength(3)
  expect(body.experiments).toContainEqual(expect.objectContaining({ name: 'size', planned_size: 2_500 }))
})

test('a clear winner is kept running until seven days after the first exposure, then shipped, and stays so', async () => {
  const { id } = await created({ planned_size: 100 })
  // It is in no page for eight days, which do not count.
  service.wait(8 * DAY_MS)
  const start = service.now()
  const usersOf = (variant: string, conversions: number) =>
    Array.from({ length: 120 }, (_, i) => [
      exposure(`${variant} ${i}`, variant, start + i),
      ...(i < conversions ? [{ user: `${variant} ${i}`, event: 'signup', at: start + 1_000 }] : []),
    ]).flat()
  await fillLake([...usersOf('control', 10), ...usersOf('blue', 60)])
  const decisionAfter = async (ms: number) => {
    service.wait(ms)
    const { decision, plan } = (await read(id)).body.results as ExperimentResults
    return [decision, plan.decides_at]
  }
  const end = new Date(start + 7 * DAY_MS).toISOString()
  expect(await decisionAfter(0)).toEqual(['keep_running', end])
  expect(await decisionAfter(7 * DAY_MS - 1)).toEqual(['keep_running', end])
  expect(await decisionAfter(1)).toEqual(['ship:blue', null])
  const { body } = await update(id, { status: 'completed' })
  expect(body).toMatchObject({ winner: 'blue', ended_at: body.completed_at })
  expect(await decisionAfter(DAY_MS)).toEqual(['ship:blue', null])
  await fillLake([])
})

test('an experiment that ends early is undecided, and users that do not fit the weights are said', async () => {
  const { id } = await created({ weights: [90, 10] })
  const start = service.now()
  service.wait(HOUR_MS)
  await fillLake(
    Array.from({ length: 120 }, (_, i) => exposure(`u${i}`, i % 2 === 0 ? 'control' : 'blue', start + i)),
  )
  const { results } = (await read(id)).body as { results: ExperimentResults }
  expect(results.decision).toBe('check_assignment')
  expect(results.recommendation).toContain('`blue` has 60 and should have about 12')
  await fillLake([])
  await update(id, { status: 'completed' })
  expect((await read(id)).body.results).toMatchObject({ decision: 'undecided', plan: { decides_at: null } })
})

test('an experiment without exposures has results, and is completed without a winner', async () => {
  const { id } = await created()
  const { results } = (await read(id)).body
  expect(results).toMatchObject({
    probability_best: { control: 0.5, blue: 0.5 },
    lift: { control: 0, blue: 0 },
    sufficient_data: false,
  })
  expect((await update(id, { status: 'completed' })).body).toMatchObject({ winner: null })
})

test('an experiment is paused, resumed and completed with a winner; then its status is final', async () => {
  const { id, ...experiment } = await created()
  for (const status of ['paused', 'active', 'paused']) {
    service.wait(1_000)
    const updated_at = new Date(service.now()).toISOString()
    const { status: code, body } = await update(id, { status, winner: 'blue' })
    expect([code, body]).toEqual([200, { ...experiment, id, status, updated_at }])
  }
  service.wait(1_000)
  const again = await update(id, { status: 'paused' })
  expect([again.status, again.body.updated_at]).toEqual([200, new Date(service.now() - 1_000).toISOString()])
  const completed = await update(id, { status: 'completed', winner: 'control' })
  expect([completed.status, completed.body.winner]).toEqual([200, 'control'])
  for (const status of ['active', 'paused', 'completed']) {
    const { status: code, body } = await update(id, { status })
    expect([code, body.error]).toEqual([400, 'INVALID_EXPERIMENT_STATUS'])
  }
})

const BAD_CHANGES: [fields: Record<string, unknown>, code: string][] = [
  [{}, 'MISSING_FIELDS'],
  [{ status: null }, 'MISSING_FIELDS'],
  [{ status: 'done' }, 'INVALID_EXPERIMENT_STATUS'],
  [{ status: LONG }, 'INVALID_EXPERIMENT_STATUS'],
  [{ status: 7 }, 'INVALID_EXPERIMENT_STATUS'],
  [{ status: 'completed', winner: 'purple' }, 'INVALID_VARIANTS'],
  [{ status: 'completed', winner: '' }, 'INVALID_VARIANTS'],
  [{ status: 'completed', winner: ['blue'] }, 'INVALID_VARIANTS'],
  [{ status: 'paused', winner: 'purple' }, 'INVALID_VARIANTS'],
]

test('a change with a bad field is refused, and changes nothing', async () => {
  const experiment = await created()
  for (const [fields, code] of BAD_CHANGES) {
    const { status, body } = await update(experiment.id, fields)
    expect([fields, status, body.error]).toEqual([fields, 400, code])
  }
  expect(await service.experiments.byId(experiment.id)).toEqual(experiment)
})

test('the tracker gets active experiments only, and none of an account on the free plan', async () => {
  const configOf = async (of: Project) => {
    // The list may be 5 s old.
    service.wait(5_000)
    const { body } = await service.call(routes.experimentsConfig, {
      ...{ query: { token: of.project_token }, key: null },
    })
    return (body.experiments as { key: string }[]).map(({ key }) => key)
  }
  const { id } = await created()
  await created({ name: 'other' })
  expect((await configOf(project)).toSorted()).toEqual(['cta', 'other'])
  await update(id, { status: 'paused' })
  expect(await configOf(project)).toEqual(['other'])
  await update(id, { status: 'active' })
  expect((await configOf(project)).toSorted()).toEqual(['cta', 'other'])
  await update(id, { status: 'completed' })
  expect(await configOf(project)).toEqual(['other'])

  const free = await service.accounts.create({
    email: 'free@example.com',
    tier: 'free',
    complimentary: false,
  })
  const ofFree = await service.createProject(free)
  const variants = [
    { key: 'a', weight: 50 },
    { key: 'b', weight: 50 },
  ]
  await service.experiments.create(ofFree, { name: 'lapsed', variants, goal_event: 'signup' })
  expect(await configOf(ofFree)).toEqual([])
})

test('a deleted experiment is not found, and its name is free', async () => {
  const { id } = await created()
  const deletion = await service.call(routes.deleteExperiment, { id })
  expect([deletion.status, deletion.body]).toEqual([200, { ok: true, deleted: id }])
  for (const again of [
    await read(id),
    await update(id, { status: 'paused' }),
    await service.call(routes.deleteExperiment, { id }),
  ]) {
    expect([again.status, again.body.error]).toEqual([404, 'EXPERIMENT_NOT_FOUND'])
  }
  await created()
})

test('an unknown id is not found, whatever it is', async () => {
  for (const id of ['exp_0123456789abcdef', 'exp_', 'x', 'x'.repeat(5_000), 'a/b', 'ü\u0000']) {
    const { status, body } = await read(id)
    expect([id, status, body.error]).toEqual([id, 404, 'EXPERIMENT_NOT_FOUND'])
  }
})

test('an experiment of another account is forbidden, and one of a deleted project is not found', async () => {
  const { id } = await created()
  const key = service.strangersKey
  for (const response of [
    await read(id, { key }),
    await service.call(routes.updateExperiment, { id, key, body: { status: 'paused' } }),
    await service.call(routes.deleteExperiment, { id, key }),
  ]) {
    expect([response.status, response.body.error]).toEqual([403, 'FORBIDDEN'])
  }
  expect((await read(id)).body.status).toBe('active')
  await service.projects.remove(project)
  for (const options of [{}, { key }]) {
    expect((await read(id, options)).body.error).toBe('EXPERIMENT_NOT_FOUND')
  }
})

test('a demo session reads the experiments of the demo project and changes nothing', async () => {
  await service.demo.setProject(project)
  const { id } = await created()
  const { access_token } = await service.agentSessions.issueDemo((await service.demo.account()).id)
  const credential = { key: null, headers: { Authorization: `Bearer ${access_token}` } }
  expect((await read(id, credential)).body).toMatchObject({ id, results: { sufficient_data: false } })
  const list = await service.call(routes.listExperiments, { ...credential, query: { project: 'any' } })
  expect(list.body.experiments).toMatchObject([{ id }])
  const { body } = await service.call(routes.updateExperiment, {
    ...{ id, ...credential, body: { status: 'paused' } },
  })
  expect(body.error).toBe('FORBIDDEN')
})

test('changes are in the audit log with their project, and reads are not', async () => {
  service.wait(1)
  const { id } = await created()
  service.wait(1)
  await read(id)
  await update(id, { status: 'paused' })
  service.wait(1)
  await service.call(routes.deleteExperiment, { id })
  const { body } = await service.call(routes.readAudit, { query: { limit: '3' } })
  const entries = body.entries as { action: string; project: string }[]
  expect(entries.map(({ action, project: named }) => [action, named])).toEqual([
    ['deleteExperiment', project.name],
    ['updateExperiment', project.name],
    ['createExperiment', project.name],
  ])
})

test('of several changes at once, each is judged by the status that it finds', async () => {
  const { id } = await created()
  const changes = await Promise.all(
    ['completed', 'paused', 'completed', 'active'].map(status => update(id, { status })),
  )
  expect(changes.filter(({ status }) => ![200, 400].includes(status))).toEqual([])
  expect(changes.filter(({ body }) => body.status === 'completed')).toHaveLength(1)
  expect((await service.experiments.byId(id))?.status).toBe('completed')
})

test('a caveat says where the interval of the lift includes zero, and is away where it does not', async () => {
  const { id } = await created()
  service.wait(HOUR_MS)
  const at = service.now() - HOUR_MS / 2
  const users = (variant: string, of: number, converted: number): Sent[] =>
    Array.from({ length: of }, (_, i) => `${variant}-${i}`).flatMap((user, i) => [
      exposure(user, variant, at),
      ...(i < converted ? [{ user, event: 'signup', at: at + 1 }] : []),
    ])
  const caveatsWith = async (converted: number) => {
    await fillLake([...users('control', 100, 20), ...users('blue', 100, converted)])
    return (await service.call(routes.readExperiment, { id })).body.caveats
  }
  expect(await caveatsWith(22)).toEqual([
    { code: 'INTERVAL_INCLUDES_ZERO', effect: 'undecided', message: expect.stringContaining('`blue`') },
  ])
  expect(await caveatsWith(90)).toBeUndefined()
})
