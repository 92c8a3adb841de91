import { describe, expect, test } from 'vitest'
import type { ApiError } from '#core/errors'
import { createTurns } from '#duckdb/reads/turns'

const never = new AbortController().signal

/** Work that ends when the test says so, in the order of its starts. */
function setUp(limits = { total: 3, perOwner: 2 }) {
  const turns = createTurns(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const add = (owner: string, name: string, { signal = never, order = 0, isGuest = false } = {}) =>
    turns.take(
      { owner, order, isGuest },
      () => {
        started.push(name)
        return new Promise<void>(resolve => ends.set(name, resolve))
      },
      signal,
    )
  const end = async (name: string) => {
    ends.get(name)?.()
    await settle()
  }
  return { turns, started, add, end }
}

const settle = () => new Promise(resolve => setImmediate(resolve))

test('one owner never occupies the whole queue: another one starts at once', async () => {
  const { started, add } = setUp()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name)
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  void add('b', 'b1')
  await settle()
  expect(started).toEqual(['a1', 'a2', 'b1'])
})

test('owners who wait take turns, whatever number of requests each has', async () => {
  const { started, add, end } = setUp({ total: 1, perOwner: 1 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name)
  void add('b', 'b1')
  void add('c', 'c1')
  void add('b', 'b2')
  for (let i = 0; i < 7; i++) {
    await settle()
    await end(started.at(-1) ?? '')
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})

test('of the work of one owner, that with the smallest order comes first, whenever it was added', async () => {
  const { started, add, end } = setUp({ total: 1, perOwner: 1 })
  void add('a', 'first of read 1', { order: 1 })
  void add('a', 'first of read 2', { order: 2 })
  void add('a', 'first of read 3', { order: 3 })
  void add('b', 'read 9 of another owner', { order: 9 })
  void add('a', 'second of read 1', { order: 1 })
  void add('a', 'second of read 2', { order: 2 })
  for (let i = 0; i < 6; i++) {
    await settle()
    await end(started.at(-1) ?? '')
  }
  expect(started).toEqual([
    'first of read 1',
    'second of read 1',
    'read 9 of another owner',
    'first of read 2',
    'second of read 2',
    'first of read 3',
  ])
})

test('work that fails ends its turn and rejects', async () => {
  const { turns } = setUp({ total: 1, perOwner: 1 })
  await expect(
    turns.take({ owner: 'a', order: 0 }, () => Promise.reject(new Error('broken')), never),
  ).rejects.toThrow('broken')
  expect(await turns.take({ owner: 'a', order: 0 }, async () => 'works', never)).toBe('works')
})

test('work that waits leaves the queue when its signal aborts, and never starts', async () => {
  const { turns, started, add, end } = setUp({ total: 1, perOwner: 1 })
  void add('a', 'a1')
  const leaving = new AbortController()
  const second = add('a', 'a2', { signal: leaving.signal })
  leaving.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  await end('a1')
  await turns.whenIdle()
  expect(started).toEqual(['a1'])
})

test('the queue is idle when no work runs or waits', async () => {
  const { turns, add, end } = setUp({ total: 1, perOwner: 1 })
  await turns.whenIdle()
  void add('a', 'a1')
  void add('a', 'a2')
  let isIdle = false
  const idle = turns.whenIdle().then(() => {
    isIdle = true
  })
  await settle()
  await end('a1')
  expect(isIdle).toBe(false)
  await end('a2')
  await idle
})

describe('work of guests', () => {
  const guest = { isGuest: true }

  test('starts only while no work of an account waits, in the order of the accounts', async () => {
    const { started, add, end } = setUp({ total: 1, perOwner: 1 })
    void add('a', 'a1')
    void add('a', 'link 1', guest)
    void add('a', 'link 2', guest)
    void add('a', 'a2')
    void add('b', 'b1')
    for (let i = 0; i < 5; i++) {
      await settle()
      await end(started.at(-1) ?? '')
    }
    expect(started).toEqual(['a1', 'a2', 'b1', 'link 1', 'link 2'])
  })

  test('leaves a place free: an account starts at once beside any number of it', async () => {
    const { started, add } = setUp()
    for (let i = 0; i < 60; i++) void add('a', `a's link ${i}`, guest)
    for (let i = 0; i < 60; i++) void add('b', `b's link ${i}`, guest)
    await settle()
    expect(started).toEqual(["a's link 0", "b's link 0"])
    void add('a', 'a1')
    await settle()
    expect(started.at(-1)).toBe('a1')
  })

  test('of one owner leaves a place to that of another, and ends before it takes more', async () => {
    const { started, add, end } = setUp()
    void add('a', 'link 1', guest)
    void add('a', 'link 2', guest)
    await settle()
    expect(started).toEqual(['link 1'])
    void add('demo', 'demo 1', guest)
    await end('link 1')
    expect(started).toEqual(['link 1', 'demo 1', 'link 2'])
  })

  test('is refused when 64 of one owner wait, or 128 in all, and the owner reads on', async () => {
    const { started, add, end } = setUp({ total: 2, perOwner: 1 })
    const works = ['a', 'a', 'b', 'c'].flatMap((owner, part) =>
      Array.from({ length: 40 }, (_, i) =>
        add(owner, `${owner} ${part} ${i}`, guest).then(() => 'done', refusal),
      ),
    )
    await settle()
    expect(started).toEqual(['a 0 0'])
    void add('a', "the owner's")
    await settle()
    expect(started.at(-1)).toBe("the owner's")
    await end("the owner's")
    // Each end may start another one.
    for (let i = 0; i < started.length; i++) await end(started[i] ?? '')
    const results = await Promise.all(works)
    expect(results.slice(0, 80).filter(result => result === 'done')).toHaveLength(65)
    expect(results.filter(result => result === 'done')).toHaveLength(129)
    expect(new Set(results)).toEqual(new Set(['done', 'UNAVAILABLE, 5 s']))
  })

  test('leaves the queue when its signal aborts, and then another one may wait', async () => {
    const { turns, started, add, end } = setUp({ total: 1, perOwner: 1 })
    void add('a', 'a1')
    const leaving = new AbortController()
    const waiting = add('a', 'link 1', { ...guest, signal: leaving.signal })
    leaving.abort(new Error('left'))
    await expect(waiting).rejects.toThrow('left')
    void add('a', 'link 2', guest)
    await end('a1')
    await end('link 2')
    await turns.whenIdle()
    expect(started).toEqual(['a1', 'link 2'])
  })
})

const refusal = ({ code, extras }: ApiError) => `${code}, ${extras.retryAfter} s`
