import { randomBytes } from 'node:crypto'
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bucketOf } from '#core/state/bucket-of'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import type { ClaimedEvents } from '#core/usage/counters'
import { PARTITIONS } from '#core/usage/open-counts'
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

/** Projects of the account `a`. */
const P = 'p'
const Q = 'q'
const [BUCKET, OTHER] = [bucketOf(P), bucketOf(Q)]
const DAY = '2026-11-21'
const TIMES = { first: Date.parse(DAY), last: Date.parse(DAY) + 1_000 }
const none = { events: 0, reads: 0 }

function counts(overrides: Partial<ClaimedEvents> = {}): ClaimedEvents {
  const { project_id = P } = overrides
  return {
    project_id,
    account_id: 'a',
    bucket: bucketOf(project_id),
    day: DAY,
    events: 1,
    times: TIMES,
    ...overrides,
  }
}

/** Counts a claim of one project. */
function addClaim(last: string, overrides: Partial<ClaimedEvents & { shard: string; epoch: number }> = {}) {
  const { shard = 's', epoch = 1, ...rest } = overrides
  return usage.addClaim({ shard, epoch, last }, [counts(rest)])
}

async function eventsOf(projectId: string): Promise<number | undefined> {
  const [totals] = await usage.totals([projectId])
  return totals?.events
}

/** Returns the items with open counts. */
async function openItems(): Promise<Item[]> {
  const items: Item[] = []
  for await (const page of scanPages(state, {})) items.push(...page)
  return items.filter(({ pk }) => String(pk).startsWith('opencounts'))
}

/** Returns the sort keys of the items with open counts: the same in each partition. */
async function openKeys(): Promise<string[]> {
  return [...new Set((await openItems()).map(({ sk }) => String(sk)))]
}

/**
 * A process whose first write is answered with a network error, and takes effect just before the second one.
 */
function holdBackFirstPut() {
  const send = state.client.send.bind(state.client) as (...args: unknown[]) => Promise<unknown>
  let heldBack: (() => Promise<unknown>) | null = null
  let puts = 0
  const client = new Proxy(state.client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return async (command: object, ...rest: unknown[]) => {
        if (!command.constructor.name.startsWith('Put')) return send(command, ...rest)
        puts += 1
        if (puts === 1) {
          heldBack = () => send(command, ...rest)
          throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
        }
        await heldBack?.()
        return send(command, ...rest)
      }
    },
  })
  return { usage: createUsageStore({ client, table: state.table }), puts: () => puts }
}

/** The state table, of which `onRead` is told the bytes of open counts that queries return. */
function countBytes(onRead: (bytes: number) => void): StateTable {
  const client = new Proxy(state.client, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property, target)
      return async (input: QueryCommandInput) => {
        const result = await target.query(input)
        for (const { counts } of result.Items ?? []) if (counts instanceof Uint8Array) onRead(counts.length)
        return result
      }
    },
  })
  return { client, table: state.table }
}

describe('open counts', () => {
  test('a project or account without counts has zeros', async () => {
    expect(await usage.totals(['p'])).toEqual([{ ...none, times: null }])
    expect(await usage.totals([])).toEqual([])
    expect(await usage.month('p', '2026-11')).toEqual({ ...none, days: {} })
  })

  test('claims of all shards, epochs, days and months add up, for the project and for the account', async () => {
    await usage.addClaim({ shard: 's1', epoch: 1, last: '5' }, [
      counts({ day: '2026-10-31', events: 3 }),
      counts({ day: '2026-11-01', events: 4 }),
      counts({ day: '2026-11-02', events: 5 }),
      counts({ project_id: Q, day: '2026-11-02' }),
      counts({ project_id: 'r', account_id: 'b' }),
    ])
    await addClaim('6', { shard: 's1', day: '2026-11-02', events: 10 })
    await addClaim('1', { shard: 's2', epoch: 2, day: '2026-11-01', events: 100 })
    expect((await usage.totals(['q', 'p', 'r'])).map(({ events }) => events)).toEqual([1, 122, 1])
    expect(await usage.month('p', '2026-11')).toEqual({
      events: 119,
      reads: 0,
      days: { '2026-11-01': { events: 104, reads: 0 }, '2026-11-02': { events: 15, reads: 0 } },
    })
    expect((await usage.month('p', '2026-10')).events).toBe(3)
    expect((await usage.month('a', '2026-11')).events).toBe(120)
    expect((await usage.month('b', '2026-11')).events).toBe(1)
  })

  test('a repeated claim is counted once, also at the same time and by another process', async () => {
    const other = createUsageStore(state)
    const claim = { shard: 's', epoch: 1, last: '9' }
    await Promise.all([usage, other].map(process => process.addClaim(claim, [counts({ events: 7 })])))
    await usage.addClaim(claim, [counts({ events: 7 })])
    await createUsageStore(state).addClaim(claim, [counts({ events: 7 })])
    expect(await eventsOf('p')).toBe(7)
  })

  test('a write whose answer is lost, and that takes effect while its claim is repeated, is counted once', async () => {
    for (const last of ['1', '2', '3']) {
      const process = holdBackFirstPut()
      const claim = { shard: 's', epoch: 1, last }
      await expect(process.usage.addClaim(claim, [counts()])).rejects.toThrow('cannot be reached')
      await process.usage.addClaim(claim, [counts()])
      // The writes for the project and for its account: each of the first try, and of the second one, which
      // finds the first.
      expect(process.puts()).toBeLessThanOrEqual(4)
      expect(await eventsOf('p')).toBe(Number(last))
    }
  })

  test('a claim before the last counted one changes nothing, although its sequence has fewer digits', async () => {
    await addClaim('10', { events: 7 })
    await addClaim('9', { events: 100 })
    expect(await eventsOf('p')).toBe(7)
  })

  test('a process that wakes after another has counted its claim and a later one counts nothing', async () => {
    const woken = createUsageStore(state)
    await woken.addClaim({ shard: 's', epoch: 1, last: '1' }, [counts()])
    await addClaim('2')
    await addClaim('3')
    await woken.addClaim({ shard: 's', epoch: 1, last: '2' }, [counts()])
    expect(await eventsOf('p')).toBe(3)
  })

  test('a claim of any number of projects is one write for each partition', async () => {
    const projects = Array.from({ length: 5_000 }, (_, i) => `proj_${i.toString(16).padStart(16, '0')}`)
    await usage.addClaim(
      { shard: 's', epoch: 1, last: '1' },
      projects.map((project_id, i) => counts({ project_id, events: i })),
    )
    expect(await openItems()).toHaveLength(PARTITIONS)
    expect((await usage.month('a', '2026-11')).events).toBe((5_000 * 4_999) / 2)
    expect(await eventsOf(projects[4_321] ?? '')).toBe(4_321)
  })

  test('an item that is large gets a successor, before it reaches the limit of 400 KB', async () => {
    const claims = 4
    for (let last = 1; last <= claims; last++) {
      const manyProjects = Array.from({ length: 5_000 }, () => {
        const id = randomBytes(16).toString('hex')
        return counts({ project_id: `proj_${id.slice(16)}`, account_id: `acc_${id.slice(0, 16)}` })
      })
      // Two processes take turns, and each repeats the claim of the other.
      for (const process of [usage, createUsageStore(state)])
        await process.addClaim({ shard: 's', epoch: 1, last: String(last) }, [...manyProjects, counts()])
    }
    expect(await openKeys()).not.toEqual(['000000000001#s#000000'])
    expect(await eventsOf('p')).toBe(claims)
  })

  test('with ten thousand projects, the read of one project or account takes a fraction of the open counts', async () => {
    const projects = Array.from({ length: 10_000 }, () => {
      const id = randomBytes(16).toString('hex')
      return counts({ project_id: `proj_${id.slice(16)}`, account_id: `acc_${id.slice(0, 16)}` })
    })
    for (let last = 1; last <= 2; last++) {
      const half = projects.slice((last - 1) * 5_000, last * 5_000)
      await usage.addClaim({ shard: 's', epoch: 1, last: String(last) }, half)
    }
    const sizes = (await openItems()).map(({ counts }) => (counts as Uint8Array).length)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    let bytes = 0
    const reader = createUsageStore(countBytes(size => (bytes += size)))
    expect((await reader.totals([projects[77]?.project_id ?? '']))[0]?.events).toBe(1)
    expect((await reader.month(projects[77]?.account_id ?? '', '2026-11')).events).toBe(1)
    // Two of the partitions, and the partitions differ in size.
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan((3 * total) / PARTITIONS)
  })

  test('the parts of an owner whose claims never end stay far below the size limit of an item', async () => {
    for (let last = 1; last <= 300; last++) await addClaim(String(last), { day: utcDate(last * DAY_MS) })
    for (const { counts } of await openItems()) expect((counts as Uint8Array).length).toBeLessThan(50_000)
  })
})

describe('the times of the first and the last event', () => {
  const timesOf = async () => (await createUsageStore(state).totals([P]))[0]?.times

  test('are those of all claims, before and after the fold', async () => {
    await addClaim('1', { times: { first: 50, last: 60 } })
    await addClaim('2', { epoch: 2, times: { first: 20, last: 55 } })
    expect(await timesOf()).toEqual({ first: 20, last: 60 })
    await usage.foldEpoch(1, BUCKET, [counts()])
    expect(await timesOf()).toEqual({ first: 20, last: 60 })
    await usage.foldEpoch(2, BUCKET, [counts()])
    await usage.deleteFoldedCounts([{ bucket: BUCKET, compacted: 3 }])
    expect(await timesOf()).toEqual({ first: 20, last: 60 })
    await addClaim('3', { epoch: 3, times: { first: 10, last: 70 } })
    expect(await timesOf()).toEqual({ first: 10, last: 70 })
  })

  test('are not known for a project whose earlier events were counted without times', async () => {
    await usage.foldEpoch(1, BUCKET, [counts()])
    await addClaim('1', { epoch: 2 })
    expect(await timesOf()).toBeNull()
    await usage.foldEpoch(2, BUCKET, [counts()])
    expect(await timesOf()).toBeNull()
  })
})

describe('folding', () => {
  test('the stored events replace the open counts of the epoch, for the project and for the account', async () => {
    await addClaim('1', { events: 10 })
    await addClaim('2', { events: 100, epoch: 2 })
    await usage.foldEpoch(1, BUCKET, [counts({ events: 8 })])
    expect(await eventsOf('p')).toBe(108)
    for (const owner of ['p', 'a']) {
      expect(await usage.month(owner, '2026-11')).toEqual({
        events: 108,
        reads: 0,
        days: { [DAY]: { events: 108, reads: 0 } },
      })
    }
  })

  test('a repeated fold counts once', async () => {
    await addClaim('1', { events: 10 })
    for (let i = 0; i < 3; i++) await usage.foldEpoch(1, BUCKET, [counts({ events: 8 })])
    expect([await eventsOf('p'), (await usage.month('a', '2026-11')).events]).toEqual([8, 8])
  })

  test('a project of which all events were copies loses its open counts', async () => {
    await addClaim('1', { events: 10 })
    await usage.foldEpoch(1, BUCKET, [])
    expect([await eventsOf('p'), (await usage.month('a', '2026-11')).events]).toEqual([0, 0])
  })

  test('events that the open counts lack, because the state is older than the lake, are counted', async () => {
    await usage.foldEpoch(1, BUCKET, [counts({ events: 8 })])
    expect([await eventsOf('p'), (await usage.month('a', '2026-11')).events]).toEqual([8, 8])
  })

  test('each bucket of an account is folded for itself', async () => {
    await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, [
      counts({ events: 10 }),
      counts({ project_id: Q, events: 100 }),
    ])
    await usage.addClaim({ shard: 's', epoch: 2, last: '2' }, [counts({ project_id: Q })])
    await usage.foldEpoch(1, OTHER, [counts({ project_id: Q, events: 90 })])
    await usage.foldEpoch(2, OTHER, [counts({ project_id: Q })])
    expect((await usage.month('a', '2026-11')).events).toBe(101)
    await usage.foldEpoch(1, BUCKET, [counts({ events: 9 })])
    expect((await usage.month('a', '2026-11')).events).toBe(100)
  })

  test('open counts are deleted when all their buckets are folded, and until then keep the others', async () => {
    await usage.addClaim({ shard: 's', epoch: 1, last: '1' }, [
      counts({ events: 10 }),
      counts({ project_id: Q, events: 100 }),
    ])
    await addClaim('2', { epoch: 2 })
    await usage.foldEpoch(1, OTHER, [counts({ project_id: Q, events: 100 })])
    await usage.deleteFoldedCounts([{ bucket: OTHER, compacted: 2 }])
    expect(await openKeys()).toHaveLength(2)
    expect(await createUsageStore(state).totals(['p', 'q'])).toMatchObject([
      { events: 11, reads: 0 },
      { events: 100, reads: 0 },
    ])
    await usage.foldEpoch(1, BUCKET, [counts({ events: 10 })])
    const watermarks = [BUCKET, OTHER].map(bucket => ({ bucket, compacted: 2 }))
    await usage.deleteFoldedCounts(watermarks)
    expect(await openKeys()).toEqual(['000000000002#s#000000'])
    expect((await usage.totals(['p', 'q'])).map(({ events }) => events)).toEqual([11, 100])
  })

  test('open counts that a woken process writes again after their deletion do not count', async () => {
    await addClaim('1', { events: 10 })
    await usage.foldEpoch(1, BUCKET, [counts({ events: 10 })])
    await usage.deleteFoldedCounts([{ bucket: BUCKET, compacted: 2 }])
    await createUsageStore(state).addClaim({ shard: 's', epoch: 1, last: '1' }, [counts({ events: 10 })])
    expect(await openKeys()).toHaveLength(1)
    expect([await eventsOf('p'), (await usage.month('a', '2026-11')).events]).toEqual([10, 10])
  })
})

describe('reads', () => {
  test('a read counts for the project and for its account', async () => {
    await Promise.all(Array.from({ length: 5 }, () => usage.addRead('p', 'a', DAY)))
    await usage.addRead('q', 'a', '2026-11-20')
    expect(await usage.totals(['p', 'q'])).toMatchObject([
      { events: 0, reads: 5 },
      { events: 0, reads: 1 },
    ])
    expect(await usage.month('a', '2026-11')).toEqual({
      events: 0,
      reads: 6,
      days: { '2026-11-20': { events: 0, reads: 1 }, [DAY]: { events: 0, reads: 5 } },
    })
    expect((await usage.month('p', '2026-11')).days).toEqual({ [DAY]: { events: 0, reads: 5 } })
  })

  test('a project keeps the reads of more than 90 days, by day, and those of all time', async () => {
    const dayAfter = (days: number) => utcDate(Date.parse('2026-01-01') + days * DAY_MS)
    for (let day = 0; day < 120; day++) await usage.addRead('p', null, dayAfter(day), day + 1)
    const months = await Promise.all(
      ['01', '02', '03', '04', '05'].map(each => usage.month('p', `2026-${each}`)),
    )
    const days = Object.assign({}, ...months.map(month => month.days))
    const kept = Array.from({ length: 92 }, (_, i) => 28 + i)
    expect(days).toEqual(Object.fromEntries(kept.map(day => [dayAfter(day), { events: 0, reads: day + 1 }])))
    expect(months[3]?.reads).toBe(kept.filter(day => day >= 90).reduce((sum, day) => sum + day + 1, 0))
    expect((await usage.totals(['p']))[0]?.reads).toBe((120 * 121) / 2)
  })
})
