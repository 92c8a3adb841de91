import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createStreamLeases } from '#core/live/stream-leases'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let now = 0
const clock = { now: () => now }
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  now = 1_000_000
})
afterAll(() => state.close())

const shared = () => createStreamLeases(state, { clock, isOnlyProcess: false })

test('an account gets as many leases as it may have, over all processes and at the same time', async () => {
  const [a, b] = [shared(), shared()]
  const leases = await Promise.all(Array.from({ length: 16 }, (_, i) => (i % 2 ? a : b).take('acc', 10)))
  expect(leases.filter(lease => lease !== null).length).toBeLessThanOrEqual(10)
  // Two processes that reach for the same lease may both miss it once; the free ones are still there.
  while ((await a.take('acc', 10)) !== null) leases.push(null)
  expect(await b.take('acc', 10)).toBe(null)
  expect(await b.take('other', 10)).not.toBe(null)
})

test('a released lease is free at once', async () => {
  const leases = shared()
  const lease = await leases.take('acc', 1)
  expect(await leases.take('acc', 1)).toBe(null)
  await lease?.release()
  expect(await leases.take('acc', 1)).not.toBe(null)
})

test('a lease that nobody renews is free after 150 s, and a renewed one is not', async () => {
  const leases = shared()
  const [kept, lost] = [await leases.take('acc', 2), await leases.take('acc', 2)]
  now += 100_000
  expect(await kept?.renew()).toBe(true)
  now += 50_000
  expect(await leases.take('acc', 2)).not.toBe(null)
  expect(await leases.take('acc', 2)).toBe(null)
  // The lost lease belongs to another stream now.
  expect(await lost?.renew()).toBe(false)
  await lost?.release()
  expect(await leases.take('acc', 2)).toBe(null)
})

test('on one machine the leases of a killed process are free after the restart', async () => {
  const killed = createStreamLeases(state, { clock, isOnlyProcess: true })
  await killed.take('acc', 1)
  const restarted = createStreamLeases(state, { clock, isOnlyProcess: true })
  expect(await restarted.take('acc', 1)).not.toBe(null)
  expect(await restarted.take('acc', 1)).toBe(null)
})

test('200 sessions of one network get as many leases as the network, of ten networks as many as all', async () => {
  const leases = shared()
  const takeAs = async (session: number, network: number) =>
    'lease' in
    (await leases.takeEach([
      { holder: `session${session}`, limit: 10 },
      { holder: `network${network}`, limit: 20 },
      { holder: 'all', limit: 50 },
    ]))
  let taken = 0
  for (let session = 0; session < 200; session++) taken += Number(await takeAs(session, 0))
  expect(taken).toBe(20)
  for (let session = 0; session < 100; session++) taken += Number(await takeAs(session, session % 10))
  expect(taken).toBe(50)
})

test('a place that is full takes none of the others, and names itself', async () => {
  const leases = shared()
  const [one, two] = [
    { holder: 'one', limit: 1 },
    { holder: 'two', limit: 1 },
  ]
  const both = await leases.takeEach([two])
  expect(await leases.takeEach([one, two])).toEqual({ full: two })
  expect(await leases.take('one', 1)).not.toBe(null)
  if ('lease' in both) await both.lease.release()
  expect('lease' in (await leases.takeEach([two]))).toBe(true)
})

test('a stream whose lease of one place is lost may not go on', async () => {
  const leases = shared()
  const taken = await leases.takeEach([
    { holder: 'one', limit: 1 },
    { holder: 'two', limit: 1 },
  ])
  if (!('lease' in taken)) throw new Error('no lease')
  expect(await taken.lease.renew()).toBe(true)
  now += 150_000
  expect(await leases.take('two', 1)).not.toBe(null)
  expect(await taken.lease.renew()).toBe(false)
})
