import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createUsageStore, type UsageStore } from '#core/usage/store'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let usage: UsageStore
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  usage = createUsageStore(state)
})
afterAll(() => state.close())

describe('events', () => {
  test('an owner without counts has zeros', async () => {
    expect(await usage.totals('p')).toEqual({ events: 0, reads: 0 })
    expect(await usage.month('p', '2026-11')).toEqual({ events: 0, reads: 0, days: {} })
  })

  test('batches of different days, months and sources add up', async () => {
    await usage.addEvents('s1', '5', [
      { owner: 'p', day: '2026-10-31', events: 3 },
      { owner: 'p', day: '2026-11-01', events: 4 },
      { owner: 'p', day: '2026-11-02', events: 5 },
      { owner: 'q', day: '2026-11-02', events: 1 },
    ])
    await usage.addEvents('s1', '6', [{ owner: 'p', day: '2026-11-02', events: 10 }])
    await usage.addEvents('s2', '1', [{ owner: 'p', day: '2026-11-01', events: 100 }])
    expect(await usage.totals('p')).toEqual({ events: 122, reads: 0 })
    expect(await usage.totals('q')).toEqual({ events: 1, reads: 0 })
    expect(await usage.month('p', '2026-11')).toEqual({
      events: 119,
      reads: 0,
      days: { '2026-11-01': { events: 104, reads: 0 }, '2026-11-02': { events: 15, reads: 0 } },
    })
    expect((await usage.month('p', '2026-10')).events).toBe(3)
  })

  test('a retried batch is counted once, also at the same time', async () => {
    const batch = [{ owner: 'p', day: '2026-11-21', events: 7 }]
    await Promise.all([usage.addEvents('s', '9', batch), usage.addEvents('s', '9', batch)])
    await usage.addEvents('s', '9', batch)
    expect((await usage.totals('p')).events).toBe(7)
  })

  test('a batch below the checkpoint is not counted', async () => {
    await usage.addEvents('s', '10', [{ owner: 'p', day: '2026-11-21', events: 7 }])
    await usage.addEvents('s', '9', [{ owner: 'p', day: '2026-11-21', events: 100 }])
    expect((await usage.totals('p')).events).toBe(7)
  })

  test('checkpoints of any length compare as integers', async () => {
    const long = (last: string) => `49${'5'.repeat(53)}${last}`
    for (const checkpoint of ['2', '10', '100', long('1'), long('2')]) {
      await usage.addEvents('s', checkpoint, [{ owner: 'p', day: '2026-11-21', events: 1 }])
    }
    expect((await usage.totals('p')).events).toBe(5)
  })

  test('the retry of a batch that was half counted counts only the rest', async () => {
    const first = [{ owner: 'a', day: '2026-11-21', events: 1 }]
    await usage.addEvents('s', '1', first)
    await usage.addEvents('s', '1', [...first, { owner: 'b', day: '2026-11-21', events: 2 }])
    expect(await Promise.all(['a', 'b'].map(owner => usage.totals(owner)))).toEqual([
      { events: 1, reads: 0 },
      { events: 2, reads: 0 },
    ])
  })

  test('compaction subtracts the copies that it drops', async () => {
    await usage.addEvents('s', '1', [{ owner: 'p', day: '2026-11-21', events: 10 }])
    await usage.addEvents('compaction-0', '4', [{ owner: 'p', day: '2026-11-21', events: -3 }])
    expect((await usage.month('p', '2026-11')).days).toEqual({ '2026-11-21': { events: 7, reads: 0 } })
  })

  test('a batch of hundreds of owners counts for each of them', async () => {
    const owners = Array.from({ length: 300 }, (_, i) => `p${i}`)
    await usage.addEvents(
      's',
      '1',
      owners.map((owner, i) => ({ owner, day: '2026-11-21', events: i })),
    )
    const totals = await Promise.all(owners.map(owner => usage.totals(owner)))
    expect(totals.map(({ events }) => events)).toEqual(owners.map((_, i) => i))
  })
})

describe('reads', () => {
  test('a read counts for the project and for its account', async () => {
    await Promise.all(Array.from({ length: 5 }, () => usage.addRead('p', 'a', '2026-11-21')))
    await usage.addRead('q', 'a', '2026-11-20')
    expect(await usage.totals('p')).toEqual({ events: 0, reads: 5 })
    expect(await usage.month('a', '2026-11')).toEqual({
      events: 0,
      reads: 6,
      days: { '2026-11-20': { events: 0, reads: 1 }, '2026-11-21': { events: 0, reads: 5 } },
    })
  })
})
