import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGuestPlaces } from '#core/limits/guest-places'
import { eventually } from '#test/support/eventually'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState } from '#test/support/test-state'

let state: Awaited<ReturnType<typeof openTestState>>
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

let installs = 0
/** Places of an install of its own: of the same table, with other projects. */
function setUp(total: number) {
  const clock = createFakeClock(1_000_000 * ++installs)
  const places = createGuestPlaces({ ...state, clock, total })
  const ends: (() => void)[] = []
  const enter = (project: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isIn = false
    const done = places.run(`${project}-${installs}`, () => {
      isIn = true
      ends.push(resolve)
      return promise
    })
    const refused = done.then(
      () => null,
      error => error.code as string,
    )
    return { refused, isIn: () => isIn }
  }
  return { clock, enter, ends }
}

const settled = (count: number, ends: readonly unknown[]) => eventually(() => expect(ends.length).toBe(count))

test('of ten places five are for one project, also when 34 reads come at once, and others have theirs', async () => {
  const { enter, ends } = setUp(10)
  const reads = Array.from({ length: 34 }, () => enter('one'))
  const refusals = reads.map(({ refused }) => refused)
  await settled(5, ends)
  const other = enter('two')
  await settled(6, ends)
  expect(other.isIn()).toBe(true)
  for (const end of ends) end()
  const results = await Promise.all(refusals)
  expect(results.filter(result => result === 'UNAVAILABLE')).toHaveLength(29)
})

test('a place is free again after its read, also one that failed, and 30 s after an execution was killed', async () => {
  const { clock, enter, ends } = setUp(2)
  const first = enter('one')
  await settled(1, ends)
  expect(await enter('one').refused).toBe('UNAVAILABLE')
  clock.advance(30_001)
  const second = enter('one')
  await settled(2, ends)
  // The first one has lost its place, and does not give back that of the second.
  ends[0]?.()
  expect(await first.refused).toBeNull()
  expect(await enter('one').refused).toBe('UNAVAILABLE')
  ends[1]?.()
  expect(await second.refused).toBeNull()
  const third = enter('one')
  await settled(3, ends)
  ends[2]?.()
  expect(await third.refused).toBeNull()
})

test('all projects together have the places of the install', async () => {
  const { enter, ends } = setUp(2)
  const [one, two] = [enter('one'), enter('two')]
  await settled(2, ends)
  expect(await enter('three').refused).toBe('UNAVAILABLE')
  for (const end of ends) end()
  expect([await one.refused, await two.refused]).toEqual([null, null])
})

test('without a number nothing is counted', async () => {
  const places = createGuestPlaces({ ...state, clock: createFakeClock(0), total: -1 })
  const reads = Array.from({ length: 50 }, () => places.run('one', async () => 'read'))
  expect(new Set(await Promise.all(reads))).toEqual(new Set(['read']))
})
