import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { openLake } from '#core/lake/read/snapshot'
import { events } from '#core/reports/events'
import { eventsLookup, journey } from '#core/reports/lookups'
import { runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { isDeepRun, repeats, seed } from '#test/support/depth'
import { openErasurePipeline } from '#test/support/erasure-pipeline'
import { type OddEvent, oddEvents, shownEvents } from '#test/support/odd-events'
import { openTestEngine } from '#test/support/test-engine'
import { openTestState } from '#test/support/test-state'

/**
 * Every read of single events gives the same bytes whatever happens to the files: while events are only in
 * hot files, when the engine has joined these, while an epoch is compacted, merged, and written anew by an
 * erasure, and after each of it. The names of the properties are those of test/support/odd-events.ts.
 */

const project = testProject({ id: 'proj_1', account_id: 'acc_1', bucket: 7, has_event_ids: true })
const ROUNDS = repeats(2, { countPerDepth: 3 })
/** Deep runs read all the time while a job runs, with so many at the same time; others once a job. */
const READERS = 2
const isDeep = isDeepRun()
/** Longer than running reads keep the files that an erasure has replaced. */
const STEP_MS = 6 * 60_000
/** Events of a user that are in segments before the others are sent. */
const FIRST_PART = 10

test(`single events are read byte for byte alike through ${ROUNDS} epochs`, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-raw-reads-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const state = await openTestState()
  onTestFinished(() => state.close())
  const pipeline = openErasurePipeline(state, dir)
  const engine = await openTestEngine({
    lakeDir: join(dir, 'lake'),
    tempDir: dir,
    threads: 2,
    concurrency: READERS,
  })
  onTestFinished(() => engine.close())
  const random = createRandom(seed)
  const { clock, lake, lakeState } = pipeline
  const services = { engine, openLake: () => openLake({ state: lakeState, lake }), clock }
  let seq = 0

  /** Each copy comes with a record of its own, so the copies are in different files. */
  async function send(sent: readonly OddEvent[]): Promise<void> {
    for (const isPublic of [false, true]) {
      const chosen = sent.filter(each => (each.isPublic ?? false) === isPublic)
      if (chosen.length === 0) continue
      await pipeline.consumeRecord({
        kind: 'events',
        ...{ project_id: project.id, account_id: project.account_id, bucket: project.bucket },
        ...{ received_at: clock.time, seq, country: null },
        ...(!isPublic && { credentialed: true as const }),
        events: chosen.map(({ isPublic: _, event_id = null, ...event }, i) => ({
          ...{ ...event, event_id },
          timestamp: clock.time - 60_000 + i,
        })),
      })
      seq += chosen.length
    }
  }

  /** What the reads about a user say of events, each as text. */
  function readsOf(user_id: string): (() => Promise<string>)[] {
    const person = { project, query: { user_id, limit: 1_000 } }
    const eventsOf = async (body: Promise<{ events: unknown }>) => JSON.stringify((await body).events)
    return [
      () => eventsOf(runReport(events, services, person)),
      () => eventsOf(runReport(events, services, { project, query: { ...person.query, event: 'odd_0' } })),
      () => eventsOf(runReport(eventsLookup, services, { project, body: person.query })),
      () => eventsOf(runReport(journey, services, { project, body: person.query })),
      () => eventsOf(runReport(journey, services, { project, body: { ...person.query, order: 'asc' } })),
    ]
  }

  type Watched = { user: string; name: number; first: string; read: () => Promise<string> }
  const watched: Watched[] = []
  let reads = 0

  async function watch(user: string): Promise<void> {
    for (const [name, read] of readsOf(user).entries())
      watched.push({ user, name, first: await read(), read })
    const body = await runReport(journey, services, { project, body: { user_id: user, limit: 1_000 } })
    const shown = new Map(
      (body.events as { event: string; properties: Record<string, unknown> | null }[]).map(each => [
        each.event,
        each.properties,
      ]),
    )
    expect(shown).toEqual(shownEvents(user))
  }

  async function readOne(): Promise<void> {
    const { user, name, first, read } = watched[random.below(watched.length)] as Watched
    expect(await read(), `read ${name} of ${user}`).toBe(first)
    reads += 1
  }

  /** Reads while the work runs, so also after what ran before. */
  async function during(work: Promise<unknown>): Promise<void> {
    let isRunning = true
    const ended = work.finally(() => {
      isRunning = false
    })
    const reader = async () => {
      do await readOne()
      while (isRunning && isDeep)
    }
    await Promise.all([ended, ...Array.from({ length: isDeep ? READERS : 1 }, reader)])
  }

  async function tick(): Promise<void> {
    await during(pipeline.maintenance.tick())
    for (const job of pipeline.jobs.splice(0)) await during(pipeline.worker.run(job))
  }

  for (let round = 0; round < ROUNDS; round++) {
    const [user, doomed] = [`user-${round}`, `doomed-${round}`]
    const sent = oddEvents(user)
    await send(sent.slice(0, FIRST_PART))
    await pipeline.run()
    // These are in hot files of one epoch, of which the engine joins eight, when the first reads are made.
    for (const each of [...sent.slice(FIRST_PART), ...oddEvents(doomed).slice(0, 4)]) await send([each])
    await watch(user)
    await during(Promise.resolve())
    await tick()
    await tick()
    await pipeline.erasures.erasePerson([{ project, events: 4, sessions: 1 }], [doomed])
    for (let step = 0; step < 4; step++) {
      clock.time += STEP_MS
      await tick()
    }
  }
  for (const { user, name, first, read } of watched)
    expect(await read(), `read ${name} of ${user}`).toBe(first)
  expect(reads).toBeGreaterThan(ROUNDS * 10)
  const { segments } = await lakeState.manifest(project.bucket)
  expect(segments.length).toBeLessThan(ROUNDS * 2)
}, 3_600_000)
