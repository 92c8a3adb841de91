import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createErasures } from '#core/erasure/erasures'
import { knownArrivals } from '#core/erasure/open-erasures'
import { createArrivalOrder } from '#core/ingest/ids'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createTombstoneWriter } from '#core/lake/erase/tombstone-writer'
import { DAY_MS } from '#core/time'
import { continueOrder } from '#local/stream/newest-arrival'
import {
  createSimulatedLake,
  createSimulatedStream,
  createSimulatedUsage,
  encodeSimulated,
  encodeSimulatedTombstones,
  simulatedTombstones,
} from '#test/simulation/simulated-ports'
import { request } from '#test/support/compactor-lake'
import { propertySettings } from '#test/support/depth'
import { createFakeClock } from '#test/support/fake-clock'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

/** What clocks do to erasures: an erasure covers what arrived before its answer, and nothing else. */

const START = Date.parse('2026-11-29T12:00:00Z')
const HOUR = 3_600_000
const PROJECT = { id: 'proj_1', name: 'shop', account_id: 'acc_1', bucket: 7 }
const PARTS = [{ project: PROJECT, events: 1, sessions: 1 }] as const

function openState() {
  const state = createMemoryLakeState()
  const lake = createSimulatedLake()
  /** `until` of each tombstone, oldest first. */
  async function untils(): Promise<number[]> {
    const { tombstones } = await state.manifest(PROJECT.bucket)
    const keys = lake.keys('tombstones/').filter(key => tombstones.some(({ writer }) => key.includes(writer)))
    return keys
      .flatMap(key => simulatedTombstones(lake.objects.get(key)))
      .toSorted((a, b) => a.number - b.number)
      .map(({ erased_until_ms }) => erased_until_ms)
  }
  return { state, lake, untils }
}

/** Receipts that nobody reads. */
const receipts = { create: async () => {} } as unknown as Parameters<typeof createErasures>[0]['erasures']

/** What happens on one machine. `ms`: how far the clock moves before it. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('event', 'event', 'event', 'begin', 'begin', 'end', 'end', 'restart'),
    ms: fc.constantFrom(0, 0, 0, 1, 1, 40, 1_500, 2 * HOUR, -2 * HOUR, -14 * HOUR, 13 * HOUR, -1),
  }),
  { minLength: 5, maxLength: 60 },
)

test('on one machine an erasure covers what arrived before its answer and nothing that came after it, whatever the clock does and after a restart', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async given => {
      const { state, lake, untils } = openState()
      const clock = createFakeClock(START)
      let order = createArrivalOrder()
      let newestAtStart = 0
      const tombstones = createTombstoneWriter({ state, lake, clock, encode: encodeSimulatedTombstones })
      const open = () => {
        const arrivals = { pause: order.pause, newestAhead: async () => newestAtStart }
        return createErasures({ erasures: receipts, tombstones, arrivals, clock })
      }
      let erasures = open()
      let turn = 0
      const events: { turn: number; arrival: number }[] = []
      const erased: { began: number; ended: number }[] = []
      type Running = { index: number; finish(): Promise<unknown> }
      let running: Running[] = []

      async function begin(): Promise<void> {
        const gate = Promise.withResolvers<void>()
        const begun = Promise.withResolvers<void>()
        const index = erased.push({ began: turn, ended: Number.POSITIVE_INFINITY }) - 1
        const answer = erasures.erasePerson(PARTS, ['ada'], async () => {
          begun.resolve()
          await gate.promise
        })
        await begun.promise
        running.push({
          index,
          finish() {
            gate.resolve()
            return answer
          },
        })
      }

      /** In the order in which they began, so that all that arrived before the answer is covered. */
      async function end(): Promise<void> {
        const [first, ...others] = running
        if (first === undefined) return
        await first.finish()
        ;(erased[first.index] as { ended: number }).ended = turn
        running = others
      }

      for (const { kind, ms } of given) {
        // Further than a day apart the order would not go on after a restart.
        clock.time = Math.min(START + 20 * HOUR, Math.max(START, clock.time + ms))
        turn++
        if (kind === 'event') events.push({ turn, arrival: order.take(clock.time, 1).receivedAt })
        else if (kind === 'begin') await begin()
        else if (kind === 'end') await end()
        else {
          while (running.length > 0) await end()
          const arrivals = events.map(({ arrival }) => arrival)
          newestAtStart = Math.max(0, ...arrivals)
          order = continueOrder([...arrivals, ...(await untils())], clock.time)
          erasures = open()
        }
      }
      while (running.length > 0) await end()
      const all = await untils()
      expect(all).toHaveLength(erased.length)
      for (const [i, { began, ended }] of erased.entries()) {
        const until = all[i] as number
        for (const { turn, arrival } of events) {
          const covered = arrival <= until
          if (turn < began) expect(covered).toBe(true)
          if (turn > ended) expect(covered).toBe(false)
        }
      }
    }),
    propertySettings(60),
  )
})

test('after a clock that was a year ahead and a restart, an erasure covers what it has dated', async () => {
  const { state, lake, untils } = openState()
  const clock = createFakeClock(START)
  const before = createArrivalOrder().take(START + 365 * DAY_MS, 1).receivedAt
  const order = continueOrder([before, START - 5], START)
  // Arrivals are of the right day again.
  expect(order.take(START, 1).receivedAt).toBe(START)
  const tombstones = createTombstoneWriter({ state, lake, clock, encode: encodeSimulatedTombstones })
  const arrivals = { pause: order.pause, newestAhead: async () => before }
  await createErasures({ erasures: receipts, tombstones, arrivals, clock }).erasePerson(PARTS, ['ada'])
  expect(await untils()).toEqual([before])
})

test.each([0, 3, 20])(
  'an event that arrives while an erasure writes is covered, and one after it is not: %i ms',
  async ms => {
    const { state, lake, untils } = openState()
    const clock = createFakeClock(START)
    const order = createArrivalOrder()
    const arrivals = { pause: order.pause, newestAhead: async () => 0 }
    const tombstones = createTombstoneWriter({ state, lake, clock, encode: encodeSimulatedTombstones })
    const { erasePerson } = createErasures({ erasures: receipts, tombstones, arrivals, clock })
    let during = 0
    await erasePerson(PARTS, ['ada'], async () => {
      clock.time += ms
      during = order.take(clock.time, 1).receivedAt
    })
    const [until = expect.unreachable()] = await untils()
    expect(during).toBeLessThanOrEqual(until)
    expect(order.take(clock.time, 1).receivedAt).toBeGreaterThan(until)
  },
)

test('after an erasure that could not be saved, events get new arrivals again', async () => {
  const { state, lake } = openState()
  const clock = createFakeClock(START)
  const order = createArrivalOrder()
  const failing = { ...state, saveManifest: async () => false }
  const tombstones = createTombstoneWriter({
    ...{ state: failing, lake, clock, encode: encodeSimulatedTombstones },
  })
  const arrivals = { pause: order.pause, newestAhead: async () => 0 }
  const { erasePerson } = createErasures({ erasures: receipts, tombstones, arrivals, clock })
  await expect(erasePerson(PARTS, ['ada'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(order.take(START + 40, 1).receivedAt).toBe(START + 40)
})

/** Processes that take events, each with its own clock: how far it is from the right one, ms. */
const processes = fc.array(fc.constantFrom(0, 0, -20, 15, 2 * HOUR, -2 * HOUR, 400 * DAY_MS), {
  minLength: 2,
  maxLength: 4,
})
const turns = fc.array(
  fc.record({
    kind: fc.constantFrom('event', 'event', 'event', 'consume', 'erase'),
    process: fc.nat(3),
    ms: fc.constantFrom(1, 1, 30, 1_000, 60_000),
  }),
  { minLength: 5, maxLength: 50 },
)

test('with many processes an erasure covers all that the consumer has read, and what right clocks have dated', async () => {
  await fc.assert(
    fc.asyncProperty(processes, turns, async (skews, given) => {
      const { state, lake, untils } = openState()
      const clock = createFakeClock(START)
      const stream = createSimulatedStream()
      const { usage } = createSimulatedUsage()
      const projects = { byId: async () => null, noteEventIds: async () => {} }
      const consumer = createLakeConsumer({
        ...{ state, lake, usage, projects, clock, stream, log: () => {}, encode: encodeSimulated },
      })
      const tombstones = createTombstoneWriter({ state, lake, clock, encode: encodeSimulatedTombstones })
      const arrivals = knownArrivals(state)
      const { erasePerson } = createErasures({ erasures: receipts, tombstones, arrivals, clock })
      const orders = skews.map(() => createArrivalOrder())
      const events: { arrival: number; isAhead: boolean; isRead: boolean }[] = []
      for (const { kind, process, ms } of given) {
        clock.time += ms
        if (kind === 'event') {
          const index = process % skews.length
          const skew = skews[index] as number
          const arrival = (orders[index] as (typeof orders)[number]).take(clock.time + skew, 1).receivedAt
          events.push({ arrival, isAhead: arrival > clock.time, isRead: false })
          stream.accept('s0', request({ project: PROJECT.id, bucket: PROJECT.bucket, at: arrival }))
        } else if (kind === 'consume') {
          await consumer.consume('s0')
          for (const event of events) event.isRead = true
        } else {
          await erasePerson(PARTS, ['ada'])
          const until = (await untils()).at(-1) as number
          for (const { arrival, isAhead, isRead } of events)
            if (isRead || !isAhead) expect(arrival).toBeLessThanOrEqual(until)
          const isKnownAhead = events.some(event => event.isRead && event.arrival > clock.time)
          if (!isKnownAhead) expect(until).toBe(clock.time)
        }
      }
    }),
    propertySettings(40),
  )
})
