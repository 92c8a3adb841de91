import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createBotClassifier } from '#core/ingest/bots'
import { MAX_OTHER_ACTORS } from '#core/usage/bot-actors'
import { type BotStore, createBotStore } from '#core/usage/bot-store'
import type { BotCount, BotDay } from '#core/usage/counters'
import { crashAfterWrites } from '#test/support/crashing-state'
import { propertySettings } from '#test/support/depth'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let store: BotStore
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  store = createBotStore(state)
})
afterAll(() => state.close())

const DAY = '2026-11-21'

function bots(overrides: Partial<BotCount> = {}): BotCount {
  return {
    project_id: 'p',
    day: DAY,
    quarter: 3,
    category: 'ai_agent',
    actor: 'GPTBot',
    requests: 1,
    dropped: 2,
    last_seen_at: 1_000,
    rules_version: '1',
    ...overrides,
  }
}

/** The stored form of the same counts. */
function botDay(overrides: Partial<BotDay> = {}): BotDay {
  const { quarter, ...count } = { ...bots(), ...overrides }
  return { ...count, quarters: { [quarter]: [count.requests, count.dropped] }, ...overrides }
}

async function countItems(): Promise<number> {
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  return Items.length
}

test('requests of all sources add up by day, category and actor, with the latest time and rules', async () => {
  await store.addBots('s1', '1', [bots(), bots({ actor: 'ClaudeBot', requests: 4 })])
  await store.addBots('s1', '2', [bots({ last_seen_at: 3_000, rules_version: '2' })])
  await store.addBots('s2', '1', [bots({ last_seen_at: 2_000 }), bots({ day: '2026-11-22' })])
  await store.addBots('s2', '2', [bots({ project_id: 'q' })])
  const counts = await store.bots('p', DAY, DAY)
  expect(counts.toSorted((a, b) => a.requests - b.requests)).toEqual([
    botDay({ requests: 3, dropped: 6, last_seen_at: 3_000, rules_version: '2' }),
    botDay({ actor: 'ClaudeBot', requests: 4, rules_version: '2' }),
  ])
  expect(await store.bots('p', DAY, '2026-11-22')).toHaveLength(3)
  expect(await store.bots('p', '2026-11-22', '2026-11-30')).toEqual([botDay({ day: '2026-11-22' })])
})

test('a repeated batch is counted once, also at the same time', async () => {
  await Promise.all([store.addBots('s', '9', [bots()]), store.addBots('s', '9', [bots()])])
  await store.addBots('s', '9', [bots({ last_seen_at: 500 })])
  // As a text, 10 comes before 9.
  await store.addBots('s', '10', [bots()])
  await store.addBots('s', '4', [bots({ last_seen_at: 9_000 })])
  expect(await store.bots('p', DAY, DAY)).toEqual([botDay({ requests: 2, dropped: 4 })])
})

test('an older request does not change the latest time', async () => {
  await store.addBots('s', '1', [bots({ last_seen_at: 2_000 })])
  await store.addBots('s', '2', [bots({ last_seen_at: 1_000 })])
  expect(await store.bots('p', DAY, DAY)).toEqual([botDay({ requests: 2, dropped: 4, last_seen_at: 2_000 })])
})

test('requests of each quarter of an hour are counted apart, over all batches and sources', async () => {
  await store.addBots('s1', '1', [bots(), bots({ quarter: 95 })])
  await store.addBots('s1', '2', [bots({ quarter: 95, dropped: 5 })])
  await store.addBots('s2', '1', [bots({ requests: 7 })])
  expect(await store.bots('p', DAY, DAY)).toEqual([
    botDay({ requests: 10, dropped: 11, quarters: { 3: [8, 4], 95: [2, 7] } }),
  ])
})

describe('invented user agents', () => {
  test('make one item a day; named actors stay, the others become Other in their category', async () => {
    const classify = createBotClassifier()
    const agents = Array.from({ length: 400 }, (_, i) => `${'x'.repeat(i % 40)}${i}Crawler/1.0`)
    const counts = [...agents, 'GPTBot/1.2', 'curl/8.5', ''].map(agent => ({ ...bots(), ...classify(agent) }))
    for (let i = 0; i < counts.length; i += 50)
      await store.addBots('s', String(i + 1), counts.slice(i, i + 50))
    expect(await countItems()).toBe(1)
    const stored = await store.bots('p', DAY, DAY)
    expect(stored.length).toBe(MAX_OTHER_ACTORS + 4)
    expect(stored.filter(({ actor }) => ['GPTBot', 'curl', 'Unknown'].includes(actor))).toHaveLength(3)
    const other = stored.find(({ actor }) => actor === 'Other')
    expect(other).toMatchObject({ category: 'generic_bot', requests: 400 - MAX_OTHER_ACTORS })
    expect(stored.reduce((sum, { requests }) => sum + requests, 0)).toBe(counts.length)
  })

  test('never fill an item', async () => {
    const actor = (i: number) => `${'é'.repeat(60)}${i}`
    await store.addBots(
      's',
      '1',
      Array.from({ length: 300 }, (_, i) => bots({ actor: actor(i), requests: 1e12, last_seen_at: 1e12 })),
    )
    const { Items = [] } = await state.client.scan({ TableName: state.table })
    expect(JSON.stringify(Items).length).toBeLessThan(40_000)
    const counts = Array.from({ length: MAX_OTHER_ACTORS * 96 }, (_, i) =>
      bots({
        actor: actor(i % MAX_OTHER_ACTORS),
        quarter: Math.floor(i / MAX_OTHER_ACTORS),
        requests: 1e6,
        dropped: 1e6,
      }),
    )
    await store.addBots('s', '2', counts)
    const full = await state.client.get({ TableName: state.table, Key: { pk: 'bots#p', sk: `${DAY}#s` } })
    // With the 55 named actors it stays below the 400 KB of an item.
    expect(Buffer.byteLength(full.Item?.actors)).toBeLessThan(250_000)
  })
})

test('counts are exact and the same, whatever batches are cut, repeated or broken off', async () => {
  const request = fc.record({
    project_id: fc.constantFrom('p', 'q'),
    day: fc.constantFrom('2026-11-20', DAY),
    quarter: fc.constantFrom(0, 1, 95),
    actor: fc.oneof(
      fc.constantFrom('GPTBot', 'Googlebot'),
      fc.nat(150).map(n => `a${n}Crawler`),
    ),
    dropped: fc.integer({ min: 1, max: 100 }),
    last_seen_at: fc.nat(9_999),
  })
  const attempt = fc.record({
    size: fc.integer({ min: 1, max: 40 }),
    writes: fc.nat(3),
    repeat: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 300 }),
      fc.array(attempt, { minLength: 1, maxLength: 8 }),
      async (requests, attempts) => {
        await state.empty()
        const counts = requests.map(fields => bots({ category: 'generic_bot', ...fields }))
        // As the consumer does: a claim has fixed bounds, and is tried until it has succeeded.
        for (let from = 0, claim = 0; from < counts.length; claim++) {
          const { size, writes, repeat } = attempts[claim % attempts.length] ?? {
            size: 1,
            writes: 0,
            repeat: false,
          }
          const batch = counts.slice(from, from + size)
          const checkpoint = String(from + batch.length)
          await createBotStore(crashAfterWrites(state, writes))
            .addBots('s', checkpoint, batch)
            .catch(() => {})
          await store.addBots('s', checkpoint, batch)
          if (repeat) await store.addBots('s', checkpoint, batch)
          from += size
        }
        const byClaims = await readAll()
        await state.empty()
        await store.addBots('s', '1', counts)
        expect(byClaims).toEqual(await readAll())
        expect(byClaims.reduce((sum, { requests: number }) => sum + number, 0)).toBe(counts.length)
        expect(byClaims.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(
          counts.reduce((sum, { dropped }) => sum + dropped, 0),
        )
      },
    ),
    propertySettings(10),
  )

  async function readAll() {
    const counts = await Promise.all(
      ['p', 'q'].map(project => store.bots(project, '2026-11-01', '2026-11-30')),
    )
    return counts.flat()
  }
})
