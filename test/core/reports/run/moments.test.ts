import { expect, test } from 'vitest'
import { createMoments } from '#core/reports/run/moments'
import { fixedLake } from '#test/support/fixed-lake'

/** Moments whose clock the test moves. Each has a lake of its own. */
function setUp() {
  let now = 1_000
  const share = createMoments({
    clock: { now: () => now },
    openLake: async () => fixedLake(),
    freshUntil: async () => now - 10,
  })
  const setNow = (ms: number): void => {
    now = ms
  }
  return { share, setNow }
}

test('reads at the same time share the time, the lake and the freshness', async () => {
  const { share, setNow } = setUp()
  const first = share(async moment => moment)
  setNow(1_200)
  const [one, two] = await Promise.all([first, share(async moment => moment)])
  expect(two).toBe(one)
  expect(one).toMatchObject({ now: 1_000, freshUntil: 990 })
})

test('a read that begins after the last one has ended has a moment of its own', async () => {
  const { share } = setUp()
  const one = await share(async moment => moment)
  const two = await share(async moment => moment)
  expect(two.lake).not.toBe(one.lake)
})

test('a read does not join a moment that is older than half a second', async () => {
  const { share, setNow } = setUp()
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = share(async moment => {
    await promise
    return moment
  })
  setNow(1_501)
  const second = await share(async moment => moment)
  resolve()
  expect([(await first).now, second.now]).toEqual([1_000, 1_501])
})

test('after a moment that could not be opened the next read opens one', async () => {
  let isBroken = true
  const share = createMoments({
    clock: { now: () => 1 },
    async openLake() {
      if (isBroken) throw new Error('no state')
      return fixedLake()
    },
  })
  await expect(share(async moment => moment)).rejects.toThrow('no state')
  isBroken = false
  expect(await share(async moment => moment)).toMatchObject({ freshUntil: null })
})
