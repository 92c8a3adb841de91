import { randomBytes } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { createAccessStores } from '#core/access-stores'
import { profiles } from '#core/plans/profile'
import { openReplays } from '#core/replays/open-replays'
import { createStores } from '#core/stores'
import { monthlyCost } from '#cost/model'
import { replayStateUnits } from '#cost/replays'
import { system } from '#cost/system'
import { usage } from '#cost/usage'
import { buildRecorder } from '#replay/build'
import { MAX_BODY_BYTES } from '#schemas/route'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { repeats } from '#test/support/depth'
import { createFakeClock } from '#test/support/fake-clock'
import { snapshotAt } from '#test/support/replays'
import { openMeteredState, type Units } from './metered-state.ts'

/** Checks the numbers of replays in cost/system.ts: it counts the units of the real code on a real table. */

const state = await openMeteredState()
const clock = createFakeClock(Date.UTC(2026, 10, 1), { movesItself: true })
afterAll(() => state.close())

/** In deep runs the chunks of more than six minutes. */
const MANY_CHUNKS = repeats(12, { countPerDepth: 20, maxCount: 40 })

/** A process whose caches are empty, as a new function of AWS has them. */
function openProcess() {
  const stores = createStores(state, clock)
  const profile = profiles.own
  const access = createAccessStores({ ...stores, ...state, clock, log: () => {}, profile, admitted: [] })
  return { ...stores, ...openReplays({ ...stores, ...state, ...access, profile, objects, clock }) }
}
const objects = createSimulatedLake()

/**
 * The model may be dearer than the code, so that a cheaper code needs no change here. It must never be
 * cheaper, and not much dearer.
 */
function expectClose(units: Units, model: Units): void {
  for (const kind of ['reads', 'writes'] as const) {
    expect(units[kind]).toBeLessThanOrEqual(model[kind])
    expect(units[kind]).toBeGreaterThan(model[kind] * 0.75)
  }
}

test('a replay from its start to its end costs the units that the model says, however many chunks it has', async () => {
  const { accounts, projects, settings } = openProcess()
  const { id } = await accounts.create({ email: 'owner@example.com', tier: 'pro', complimentary: true })
  const { project } = await projects.create({ account: { id }, name: 'recorded' })
  await settings.change(project, { enabled: true })
  for (const chunks of [3, MANY_CHUNKS]) {
    const start_id = randomBytes(12).toString('hex')
    const sender = {
      ...{ token: project.project_token, session_id: `s-${start_id}`, user_id: `u-${start_id}` },
      origin: undefined,
    }
    const started_at = clock.time
    const units = await state.measure(async () => {
      // Each request comes ten seconds after the one before it, so the caches of a process are over.
      const replay = await openProcess().uploads.start({ ...sender, start_id, started_at })
      for (let index = 0; index < chunks; index++) {
        clock.time += 9_900
        await openProcess().uploads.addChunk(replay, { ...sender, index, events: snapshotAt(clock.time) })
      }
      await openProcess().uploads.finish(replay, { ...sender, chunks })
    })
    expectClose(units, replayStateUnits(chunks))
  }
})

test('the recorder has at most the bytes that the model says, as CloudFront sends it', async () => {
  const { code } = await buildRecorder()
  const bytes = brotliCompressSync(code).length
  expect(bytes).toBeLessThanOrEqual(system.replay.scriptBytes)
  expect(bytes).toBeGreaterThan(system.replay.scriptBytes * 0.8)
})

test('10,000 replays of five minutes cost what was calculated by hand', () => {
  const nothing = usage({ events: 0, reads: 0, months: 0 })
  const { lines } = monthlyCost({ ...nothing, replays: 10e3, replayViews: 0 })
  const usd = (price: string) =>
    lines
      .filter(line => line.purpose === 'replays' && line.price === price)
      .reduce((sum, { usd }) => sum + usd, 0)
  // 35 chunks, a start and an end, and four reads of the settings.
  expect(usd('apiRequest')).toBeCloseTo(10e3 * (35 + 2 + 4) * 1e-6, 6)
  expect(usd('s3Put')).toBeCloseTo(10e3 * 35 * 5e-6, 6)
  // A hundredth of the requests starts a process in 0.4 s.
  const seconds = 0.06 + 35 * 0.07 + 0.04 + (35 + 2 + 4) * 0.01 * 0.4
  expect(usd('lambdaArmSecond')).toBeCloseTo(10e3 * seconds * 0.5 * 0.0000133334, 6)
  // A read of the bytes of a month that are kept 32 days.
  expect(usd('s3Stored')).toBeCloseTo(((10e3 * 35 * 3_700) / 1e9) * (32 / (730 / 24)) * 0.023, 6)
  expect(monthlyCost(nothing).lines.filter(({ purpose }) => /replays/.test(purpose))).toEqual([])
})

test('a chunk of an average replay fits one unit of the API many times, and the largest one fits its limit', () => {
  const { chunkBytes, encoded } = system.replay
  expect(chunkBytes * encoded).toBeLessThan(512_000 / 10)
  // An HTTP API takes 10 MB, and a function 6 MB, in which API Gateway may encode the body once more.
  expect(MAX_BODY_BYTES * encoded).toBeLessThan(6 * 1_048_576)
})
