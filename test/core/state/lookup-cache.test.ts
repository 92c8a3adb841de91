import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import { testProject } from '#test/support/account-fixtures'
import { createFakeClock } from '#test/support/fake-clock'

const project = testProject()

let now = 0
let lookUps: string[] = []
let stored: Project | null = project
beforeEach(() => {
  now = 0
  lookUps = []
  stored = project
})

function cacheOf(lookUp: (token: string) => Promise<Project | null> = async () => stored) {
  const options = { foundMs: 5_000, missingMs: 1_000, maxEntries: 20_000 }
  const counted = (token: string) => {
    lookUps.push(token)
    return lookUp(token)
  }
  return createLookupCache({ now: () => now }, counted, options)
}

test('a text is looked up once in five seconds, also for requests at the same time', async () => {
  const cache = cacheOf()
  expect(await Promise.all([cache.get('t'), cache.get('t')])).toEqual([project, project])
  now = 4_999
  await cache.get('t')
  expect(lookUps).toEqual(['t'])
  now = 5_000
  await cache.get('t')
  expect(lookUps).toEqual(['t', 't'])
})

test('a text that was looked up while the clock was ahead is looked up again', async () => {
  const cache = cacheOf()
  now = 3_600_000
  await cache.get('t')
  now = 0
  stored = null
  expect(await cache.get('t')).toBeNull()
  now = 3_600_000
  await cache.get('t')
  now = 0
  stored = project
  expect(await cache.get('t')).toEqual(project)
})

test('an unknown text is looked up again after a second', async () => {
  const cache = cacheOf()
  stored = null
  expect(await cache.get('t')).toBeNull()
  await cache.get('t')
  expect(lookUps).toHaveLength(1)
  stored = project
  now = 1_000
  expect(await cache.get('t')).toEqual(project)
})

test('a forgotten text is looked up again at once, also when its first look-up is under way', async () => {
  const resolvers: ((project: Project | null) => void)[] = []
  const cache = cacheOf(() => new Promise(resolve => resolvers.push(resolve)))
  const before = cache.get('t')
  cache.forget('t')
  const after = cache.get('t')
  resolvers[0]?.(project)
  resolvers[1]?.(null)
  expect(await before).toEqual(project)
  expect(await after).toBeNull()
  expect(await cache.get('t')).toBeNull()
  expect(lookUps).toHaveLength(2)
})

test('a failed look-up is not cached', async () => {
  let fails = true
  const cache = cacheOf(async () => {
    if (fails) throw new Error('no response')
    return project
  })
  await expect(cache.get('t')).rejects.toThrow('no response')
  fails = false
  expect(await cache.get('t')).toEqual(project)
})

test('invented texts do not push a real one out of the cache', async () => {
  const cache = cacheOf(async token => (token === 't' ? project : null))
  await cache.get('t')
  for (let i = 0; i < 50_000; i++) await cache.get(`invented-${i}`)
  await cache.get('t')
  expect(lookUps.filter(token => token === 't')).toHaveLength(1)
})

describe('values that are looked up again', () => {
  const clock = createFakeClock()

  /** Lets the wait for other values end, and what follows it. */
  async function endWait(): Promise<void> {
    clock.advance(500)
    await nextTurn()
  }

  /**
   * A cache of three texts, whose values are their own capitals, and the requests for values that were due.
   */
  async function openCache(lookUpAgain: (values: readonly string[]) => Promise<(string | null)[]>) {
    const requests: string[][] = []
    const cache = createLookupCache(
      { now: () => now },
      async (text: string) => {
        lookUps.push(text)
        return text.toUpperCase()
      },
      {
        ...{ foundMs: 5_000, missingMs: 1_000, maxEntries: 100 },
        again: {
          clock,
          lookUp(values) {
            requests.push([...values])
            return lookUpAgain(values)
          },
        },
      },
    )
    for (const text of ['a', 'b', 'c']) await cache.get(text)
    lookUps = []
    return { cache, requests }
  }

  test('are asked for together after half of their time, and no request waits for them', async () => {
    const { cache, requests } = await openCache(async values => values.map(value => `${value}2`))
    now = 2_499
    expect(await cache.get('a')).toBe('A')
    await endWait()
    expect(requests).toEqual([])
    now = 2_500
    expect(await Promise.all([cache.get('a'), cache.get('b'), cache.get('a')])).toEqual(['A', 'B', 'A'])
    await endWait()
    expect(requests).toEqual([['A', 'B']])
    now = 7_499
    expect(await Promise.all([cache.get('a'), cache.get('b')])).toEqual(['A2', 'B2'])
    expect(lookUps).toEqual([])
    // Nobody has used this one, so nobody asked for it in the meantime.
    await cache.get('c')
    expect(lookUps).toEqual(['c'])
  })

  test('are missing when they are gone, and end with their time when the look-up fails', async () => {
    const gone = await openCache(async values => values.map(() => null))
    now = 2_500
    await gone.cache.get('a')
    await endWait()
    expect(await gone.cache.get('a')).toBe(null)

    now = 0
    const failing = await openCache(() => Promise.reject(new Error('the table is away')))
    now = 2_500
    await failing.cache.get('a')
    await endWait()
    now = 4_999
    expect(await failing.cache.get('a')).toBe('A')
    expect(lookUps).toEqual([])
    now = 5_000
    await failing.cache.get('a')
    expect(lookUps).toEqual(['a'])
  })

  test('do not come back when they were forgotten in the meantime', async () => {
    const answers = Promise.withResolvers<(string | null)[]>()
    const { cache } = await openCache(() => answers.promise)
    now = 2_500
    await cache.get('a')
    await endWait()
    cache.forget('a')
    answers.resolve(['old'])
    await endWait()
    expect(await cache.get('a')).toBe('A')
    expect(lookUps).toEqual(['a'])
  })
})
