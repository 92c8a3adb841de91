import { expect, test } from 'vitest'
import type { ReadChunk } from '#core/live/buffer'
import { toLiveEvents } from '#core/live/chunk'
import { createLiveReader } from '#core/live/live-reader'
import { liveRecord } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'

const NOW = Date.UTC(2026, 10, 29, 12)
const LIMITS = { maxEvents: 10_000, maxBytes: 4_000_000 }
const project = { id: 'demo', name: 'demo' }

/** A reader of a full buffer: `chunks` of 100 events, a second apart. Counts what is read and unpacked. */
function openReader(chunks = 100) {
  let now = NOW
  let failures = 0
  const counted = { reads: 0, chunks: 0 }
  const buffer = {
    clock: { now: () => now },
    bufferMs: 300_000,
    async *newestFirst(_: string, fromStamp: number): AsyncGenerator<ReadChunk> {
      counted.reads += 1
      for (let i = 0; i < chunks; i++) {
        const stamp = now - i * 1_000
        if (stamp < fromStamp) return
        await Promise.resolve()
        if (failures > 0 && failures-- > 0) throw new Error('The table is out of reach.')
        counted.chunks += 1
        const events = toLiveEvents(
          liveRecord(
            i + 1,
            stamp,
            Array.from({ length: 100 }, () => ({})),
          ),
        )
        yield { key: String(stamp), shard: 's', stamp, events, bytes: 80_000 }
      }
    },
  }
  const { read } = createLiveReader({ buffer, users: NO_LINKS })
  return {
    counted,
    ask: (window: { seconds: number } | { after: string }, isGuest = true, of = project) =>
      read({ project: of, window, ...LIMITS, isGuest }),
    wait(ms: number) {
      now += ms
    },
    fail() {
      failures = 1
    },
  }
}

test.each([
  ['guests', true],
  ['accounts', false],
])('15 %s who ask the same at once get one answer of one read, of 4 MB', async (_, isGuest) => {
  const { ask, counted } = openReader()
  const answers = await Promise.all(Array.from({ length: 15 }, () => ask({ seconds: 300 }, isGuest)))
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]?.body.truncated).toBe(true)
  expect(answers[0]?.events).toBe(5_000)
  // The chunk that did not fit was read too.
  expect(counted).toEqual({ reads: 1, chunks: 51 })
})

test('different windows of guests share the chunks, at once and two seconds long', async () => {
  const { ask, counted, wait } = openReader(20)
  const [short, long] = await Promise.all([ask({ seconds: 10 }), ask({ seconds: 300 })])
  expect([short?.events, long?.events]).toEqual([1_000, 2_000])
  wait(1_999)
  const later = await ask({ after: String(NOW - 6_000) })
  // It is of the moment of the look, and so is its cursor.
  expect(later.body).toMatchObject({ timestamp: NOW - 2_000, cursor: String(NOW - 2_000) })
  expect(later.events).toBe(400)
  expect(await ask({ seconds: 300 })).toBe(long)
  expect(counted).toEqual({ reads: 1, chunks: 20 })
  wait(1)
  expect((await ask({ seconds: 300 })).body.timestamp).toBe(NOW + 2_000)
  expect(counted.reads).toBe(2)
})

test('a fifth question of guests of a project is refused until the next look, accounts ask on', async () => {
  const { ask, wait } = openReader(5)
  const answers = await Promise.allSettled([10, 11, 12, 13, 14, 15].map(seconds => ask({ seconds })))
  expect(answers.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'rejected'])
  await expect(ask({ seconds: 16 })).rejects.toThrow('Ask again in 2 seconds')
  expect((await ask({ seconds: 10 })).events).toBe(500)
  expect((await ask({ seconds: 16 }, false)).events).toBe(500)
  expect((await ask({ seconds: 16 }, true, { id: 'other', name: 'other' })).events).toBe(500)
  wait(2_000)
  expect((await ask({ seconds: 16 })).events).toBe(500)
})

test('accounts get no answer that is over, and none of guests', async () => {
  const { ask, counted } = openReader(1)
  await ask({ seconds: 60 })
  await ask({ seconds: 60 }, false)
  await ask({ seconds: 60 }, false)
  expect(counted.reads).toBe(3)
})

test.each([true, false])('a read that fails is read again by the next one (guest: %s)', async isGuest => {
  const { ask, fail } = openReader(3)
  fail()
  const failed = await Promise.allSettled([ask({ seconds: 60 }, isGuest), ask({ seconds: 300 }, isGuest)])
  expect(failed[0]?.status).toBe('rejected')
  expect((await ask({ seconds: 60 }, isGuest)).events).toBe(300)
})
