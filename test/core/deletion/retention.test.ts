import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRetention } from '#core/deletion/retention'
import { unavailable } from '#core/errors'
import { profiles } from '#core/plans/profile'
import { addErasure } from '#test/support/add-erasure'
import { openErasurePipeline } from '#test/support/erasure-pipeline'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY = 86_400_000

let state: TestState
let dir: string
let logged: string[] = []
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  dir = await mkdtemp(join(tmpdir(), 'footfall-retention-'))
  logged = []
})
afterEach(() => rm(dir, { recursive: true, force: true }))
afterAll(() => state.close())

/** The pipeline with real files, and the daily deletion under the profile. */
function openWorld(profile = profiles.hosted) {
  const pipeline = openErasurePipeline(state, dir)
  const { clock, accounts, projects, lakeState } = pipeline
  /** What is left of the calls for replays; the first answers come first. */
  const removals: { projectId: string; at: number }[] = []
  const answers: boolean[] = []
  const replays = {
    async removeBefore(projectId: string, at: number) {
      removals.push({ projectId, at })
      return answers.shift() ?? true
    },
  }
  const services = { ...state, ...pipeline, profile, replays, log: (code: string) => void logged.push(code) }
  const retention = createRetention(services)

  async function createProject(tier: 'free' | 'pro') {
    const account = await accounts.create({ email: 'a@example.com', tier, complimentary: tier === 'pro' })
    return (await projects.create({ account, name: 'shop' })).project
  }

  /**
   * Moves the clock to noon of a later day, deletes what is too old, and waits until the lake has forgotten
   * it.
   */
  async function reachDay(day: number): Promise<void> {
    clock.time = START + day * DAY
    while (await retention.tick());
    for (let i = 0; i < 4; i++) await pipeline.wait(6 * 60_000)
  }

  /** How many events the segments of the project's bucket have. */
  async function rows({ bucket }: { bucket: number }): Promise<number> {
    const { segments } = await lakeState.manifest(bucket)
    return segments.reduce((sum, segment) => sum + segment.rows, 0)
  }

  /** How many batches of tombstones name the project. Other projects may be in its bucket. */
  async function expirationsOf({ bucket, id }: { bucket: number; id: string }): Promise<number> {
    const { tombstones } = await lakeState.manifest(bucket)
    return tombstones.filter(({ projects }) => projects?.includes(id)).length
  }

  const START = clock.time
  return {
    ...pipeline,
    retention,
    replays,
    removals,
    answers,
    createProject,
    reachDay,
    rows,
    expirationsOf,
    START,
  }
}

test('events of a free account are deleted when reads have hidden them for a day or two, and younger ones stay', async () => {
  const { clock, START, createProject, storeFor, reachDay, rows, usage } = openWorld()
  const project = await createProject('free')
  for (const day of [0, 1, 40]) {
    clock.time = START + day * DAY
    await storeFor(project, 'ada', 'bob')
  }
  await reachDay(91)
  expect(await rows(project)).toBe(6)
  await reachDay(92)
  expect(await rows(project)).toBe(4)
  await reachDay(132)
  expect(await rows(project)).toBe(0)
  expect((await usage.totals([project.id]))[0]?.events).toBe(6)
  expect(logged).toEqual([])
})

test('a Pro account keeps its events for 365 days, and an account without limits for ever', async () => {
  const { clock, START, createProject, storeFor, retention, lakeState } = openWorld()
  const { bucket, ...project } = await createProject('pro')
  await storeFor({ ...project, bucket }, 'ada')
  const isExpired = async () => (await lakeState.manifest(bucket)).tombstones.length > 0
  clock.time = START + 366 * DAY
  while (await retention.tick());
  expect(await isExpired()).toBe(false)
  const own = openWorld(profiles.own)
  own.clock.time = START + 2_000 * DAY
  expect([await own.retention.tick(), await isExpired()]).toEqual([false, false])
  clock.time = START + 367 * DAY
  while (await retention.tick());
  expect(await isExpired()).toBe(true)
})

test('another project of the same bucket keeps its events, and its segments are not read', async () => {
  const { clock, START, createProject, storeFor, reachDay, lake, lakeState } = openWorld()
  const [free, pro] = [await createProject('free'), await createProject('pro')]
  await storeFor({ ...free, bucket: 7 }, 'ada')
  await storeFor({ ...pro, bucket: 7 }, 'bob')
  clock.time = START + 85 * DAY
  await storeFor({ ...free, bucket: 7 }, 'eve')
  const { segments: before } = await lakeState.manifest(7)
  // The real bucket of the project gets the tombstone, so this test gives it to bucket 7 itself.
  const until = START + DAY
  const erased = { project_id: free.id, users: null, until }
  const manifest = await addErasure(lake, await lakeState.manifest(7), erased, clock.time)
  expect(manifest.segments.map(({ erased }) => erased)).toEqual(
    before.map((_, i) => Number(i === before.length - 1)),
  )
  await lakeState.saveManifest(manifest)
  await reachDay(86)
  const { segments } = await lakeState.manifest(7)
  expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(2)
})

test('a project without old events gets no tombstone, and each project one a day at most', async () => {
  const { clock, START, createProject, storeFor, retention, expirationsOf } = openWorld()
  const [old, idle] = [await createProject('free'), await createProject('free')]
  await storeFor(old, 'ada')
  clock.time = START + 92 * DAY
  for (let i = 0; i < 3; i++) while (await retention.tick());
  const expirations = () => Promise.all([old, idle].map(expirationsOf))
  expect(await expirations()).toEqual([1, 0])
  clock.time += DAY
  while (await retention.tick());
  expect(await expirations()).toEqual([1, 0])
})

test('a failure of one account is logged, and the others are served; the next day comes to it again', async () => {
  const { clock, START, createProject, storeFor, expirationsOf, ...world } = openWorld()
  const [failing, other] = [await createProject('free'), await createProject('free')]
  for (const project of [failing, other]) await storeFor(project, 'ada')
  let isBroken = true
  const erasures: typeof world.erasures = {
    ...world.erasures,
    expireEvents: (project, ...rest) =>
      isBroken && project.id === failing.id
        ? Promise.reject(unavailable('busy', 1))
        : world.erasures.expireEvents(project, ...rest),
  }
  const { tick } = createRetention({
    ...{ ...state, ...world, clock, erasures },
    profile: profiles.hosted,
    log: code => void logged.push(code),
  })
  const expirations = () => Promise.all([failing, other].map(expirationsOf))
  clock.time = START + 92 * DAY
  while (await tick());
  expect([await expirations(), logged]).toEqual([[0, 1], ['JOB_FAILED']])
  isBroken = false
  while (await tick());
  expect(await expirations()).toEqual([0, 1])
  clock.time += DAY
  while (await tick());
  expect(await expirations()).toEqual([1, 1])
})

test('under `own` a project with a choice loses its old events, and one without keeps them', async () => {
  const { projects, clock, START, createProject, storeFor, reachDay, rows, removals } = openWorld(
    profiles.own,
  )
  const [chosen, other] = [await createProject('pro'), await createProject('pro')]
  await projects.update(chosen, { retention_days: 60 })
  for (const project of [chosen, other]) await storeFor(project, 'ada')
  clock.time = START + 50 * DAY
  for (const project of [chosen, other]) await storeFor(project, 'bob')
  await reachDay(62)
  const left = chosen.bucket === other.bucket ? [3, 3] : [1, 2]
  expect([await rows(chosen), await rows(other)]).toEqual(left)
  // Replays go after 30 days anyway.
  expect(removals).toEqual([])
  expect(logged).toEqual([])
})

test('of project and plan the smaller number counts', async () => {
  const { projects, clock, START, createProject, storeFor, reachDay, rows } = openWorld()
  const project = await createProject('free')
  // A plan may become smaller after the choice.
  await projects.update(project, { retention_days: 300 })
  await storeFor(project, 'ada')
  clock.time = START + 40 * DAY
  await storeFor(project, 'bob')
  await reachDay(92)
  expect(await rows(project)).toBe(1)
})

test('a number below 30 holds for replays, in as many ticks as it takes', async () => {
  const { projects, clock, START, createProject, retention, removals, answers } = openWorld(profiles.own)
  const project = await createProject('pro')
  await projects.update(project, { retention_days: 7 })
  clock.time = START + 20 * DAY
  answers.push(false, false)
  expect([await retention.tick(), await retention.tick()]).toEqual([true, true])
  while (await retention.tick());
  const at = Math.floor(clock.time / DAY) * DAY - 7 * DAY
  expect(removals).toEqual(Array(3).fill({ projectId: project.id, at }))
  expect(await retention.tick()).toBe(false)
  expect(removals).toHaveLength(3)
})
