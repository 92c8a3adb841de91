import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { createLiveConsumer } from '#core/live/consumer'
import { readLive } from '#core/live/read-live'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import type { StreamEntry } from '#core/ports'
import { systemClock } from '#providers/system-clock'
import { crashAfterWrites } from '#test/support/crashing-state'
import { propertySettings } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import { liveRecord, toEntry } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'
import { openTestState, type TestState } from '#test/support/test-state'

const BUFFER_MS = 300_000
const START = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/**
 * A record of the stream: its project, its shard, its number of events, and the ms since the record before.
 */
const record = fc.record({
  project: fc.constantFrom('p', 'q'),
  shard: fc.constantFrom('s1', 's2'),
  events: fc.array(fc.record({ user: fc.nat(4), path: fc.constantFrom('/a', '/b') }), {
    minLength: 1,
    maxLength: 3,
  }),
  afterMs: fc.nat(400),
})
/** A try of a batch: how many records it has, and after how many writes its process dies. */
const attempt = fc.record({
  size: fc.integer({ min: 1, max: 6 }),
  writes: fc.nat(2),
  goesBack: fc.nat(3),
  pauseMs: fc.nat(1_500),
})

test('every event counts once, is streamed once and is in a polled answer, whatever batches are retried, cut or broken off', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { minLength: 1, maxLength: 15 }),
      fc.array(attempt, { maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      async (records, attempts, lastSize) => {
        await state.empty()
        let now = START
        const clock = { now: () => now }
        const buffer = createLiveBuffer(state, { clock, bufferMs: BUFFER_MS })
        const tails = createTails(
          { buffer, users: NO_LINKS, clock: systemClock, log: () => expect.unreachable() },
          { ...TAIL_DEFAULTS, pollMs: 1 },
        )
        const subscription = tails.subscribe('p')
        const read = async (window: { seconds: number } | { after: string }) => {
          const request = { project: { id: 'p', name: 'P' }, window, maxEvents: 10_000, maxBytes: 4_000_000 }
          return (await readLive({ buffer, users: NO_LINKS }, request)).body
        }
        const polled = new Set<string>()
        let { cursor } = await read({ seconds: 60 })
        const poll = async () => {
          const answer = await read({ after: cursor })
          cursor = answer.cursor
          for (const { id } of answer.recent_events) polled.add(id)
        }
        const shards = new Map<string, StreamEntry[]>([
          ['s1', []],
          ['s2', []],
        ])
        const sent = records.map(({ project, shard, events, afterMs }, i) => {
          now += afterMs
          const made = liveRecord(
            i,
            now,
            events.map(({ user, path }) => ({ user_id: `u${user}`, properties: { path } })),
          )
          shards.get(shard)?.push(toEntry(made, project))
          return { project, made }
        })

        // Broken tries first: each starts at or before the place where the one before it started, and dies on
        // its way.
        for (const [shard, entries] of shards) {
          let from = 0
          for (const { size, writes, goesBack, pauseMs } of attempts) {
            const dying = createLiveBuffer(crashAfterWrites(state, writes), { clock, bufferMs: BUFFER_MS })
            const batch = entries.slice(from, from + size)
            const isDone = await createLiveConsumer({ buffer: dying })
              .consumeBatch(shard, batch)
              .then(
                () => true,
                () => false,
              )
            now += pauseMs
            await poll()
            from = Math.max(0, (isDone ? from + size : from) - goesBack)
          }
          for (let at = Math.min(from, entries.length); at < entries.length; at += lastSize) {
            now += 5
            await createLiveConsumer({ buffer }).consumeBatch(shard, entries.slice(at, at + lastSize))
          }
        }

        const expected = sent.filter(({ project }) => project === 'p').flatMap(({ made }) => made.events)
        const body = await read({ seconds: 300 })
        expect(body.events_per_minute).toBe(Math.round(expected.length / 5))
        expect(body.top_events).toEqual(
          expected.length === 0 ? [] : [{ event: 'page_view', count: expected.length }],
        )
        expect(body.active_visitors).toBe(new Set(expected.map(({ user_id }) => user_id)).size)
        now += LATE_MS
        await poll()
        expect(polled.size).toBe(expected.length)
        const streamed: string[] = []
        await eventually(
          async () => {
            subscription.wake()
            streamed.push(...(await subscription.next()).map(({ id }) => id))
            expect(streamed.length).toBe(expected.length)
          },
          { everyMs: 5 },
        )
        expect(new Set(streamed).size).toBe(expected.length)
        await subscription.close()
      },
    ),
    propertySettings(6),
  )
})
