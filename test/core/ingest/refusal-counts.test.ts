import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRefusalCounts, type Refusal } from '#core/ingest/refusal-counts'
import { scanPages } from '#core/state/query-all'
import { DAY_MS } from '#core/time'
import { createRefusalStore } from '#core/usage/refusal-store'
import { mapSize } from '#local/state/values'
import { REFUSAL_REASONS, type RefusalReason } from '#schemas/refusals'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 21, 12, 30)
const HOUR_MS = 3_600_000
const reasons = Object.keys(REFUSAL_REASONS) as RefusalReason[]

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

function gather({ hasTimer = true } = {}) {
  const clock = createFakeClock(NOW)
  const store = createRefusalStore(state)
  const writes: string[] = []
  const watched = {
    isAway: false,
    add: async (...args: Parameters<typeof store.add>) => {
      writes.push(args[0])
      if (watched.isAway) throw new Error('the table is away')
      await store.add(...args)
    },
  }
  const counts = createRefusalCounts({ store: watched, clock, hasTimer })
  const count = (refusal: Partial<Refusal> = {}, projectId = 'proj_1') =>
    counts.count(projectId, { reason: 'origin', events: 1, last: 'https://www.shop.example', ...refusal })
  const read = (projectId = 'proj_1') => store.read(projectId, clock.now())
  return { ...counts, count, read, clock, writes, watched }
}

async function items() {
  const all = []
  for await (const page of scanPages(state, {})) all.push(...page)
  return all
}

test('refusals are counted by project, reason and hour, with what the newest says', async () => {
  const { count, read, flush, clock } = gather()
  await count({ events: 3, last: 'https://a.example' })
  clock.time = NOW + HOUR_MS
  await count()
  await count({ reason: 'time', events: 100, last: 'too old' })
  await count({}, 'proj_2')
  await flush()
  expect(await read()).toEqual([
    {
      reason: 'origin',
      events: 4,
      at: NOW + HOUR_MS,
      last: 'https://www.shop.example',
      hours: [
        [NOW - 30 * 60_000, 3],
        [NOW + 30 * 60_000, 1],
      ],
    },
    { reason: 'time', events: 100, at: NOW + HOUR_MS, last: 'too old', hours: [[NOW + 30 * 60_000, 100]] },
  ])
  expect(await read('proj_2')).toMatchObject([{ events: 1 }])
  expect(await read('proj_3')).toEqual([])
})

test('a flood of 20,000 requests is one write, whatever their texts are', async () => {
  const { count, flush, read, writes } = gather()
  for (let i = 0; i < 20_000; i++) await count({ last: `https://a${i}.example` })
  await flush()
  expect(writes).toEqual(['proj_1'])
  expect(await read()).toMatchObject([{ events: 20_000, last: 'https://a19999.example' }])
})

test('a process without a timer writes the first refusal before it answers, and others after a window', async () => {
  const { count, read, writes, clock } = gather({ hasTimer: false })
  await count()
  expect(await read()).toMatchObject([{ events: 1 }])
  for (let i = 0; i < 50; i++) await count()
  expect(writes).toHaveLength(1)
  clock.time = NOW + 5_000
  await count()
  expect(writes).toHaveLength(2)
  expect(await read()).toMatchObject([{ events: 52 }])
})

test('what the table does not take is written later, and counts once', async () => {
  const { count, flush, read, watched, clock } = gather()
  watched.isAway = true
  await count({ last: 'https://old.example' })
  await flush()
  expect(await read()).toEqual([])
  watched.isAway = false
  clock.time = NOW + 1
  await count({ last: 'https://new.example' })
  await flush()
  expect(await read()).toMatchObject([{ events: 2, last: 'https://new.example' }])
})

test('while the table is away, memory holds 1,000 projects and hours', async () => {
  const { count, flush, watched, writes } = gather()
  watched.isAway = true
  for (let i = 0; i < 1_500; i++) await count({}, `proj_${i}`)
  await flush()
  expect(writes).toHaveLength(1_000)
})

test('an item has at most 10 KB, with every reason in every hour and the longest texts', async () => {
  const { count, flush, clock } = gather()
  for (let hour = 0; hour < 24; hour++) {
    clock.time = Date.UTC(2026, 10, 21, hour)
    for (const reason of reasons) await count({ reason, events: 1e9, last: 'é'.repeat(5_000) })
  }
  await flush()
  const [item, ...others] = await items()
  expect(others).toEqual([])
  expect(mapSize(item as never)).toBeLessThan(10_000)
})

test('a week is read; older days are not, and their items expire', async () => {
  const { count, flush, read, clock } = gather()
  await count()
  await flush()
  clock.time = NOW + 6 * DAY_MS
  expect(await read()).toMatchObject([{ events: 1, hours: [] }])
  clock.time = NOW + 7 * DAY_MS
  expect(await read()).toEqual([])
  expect(await items()).toMatchObject([{ expires_at: expect.any(Number) }])
})
