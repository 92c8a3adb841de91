import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { gatherReads } from '#core/usage/gathered-reads'
import { createUsageStore } from '#core/usage/store'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY = '2026-11-22'
let state: TestState
let logged: unknown[] = []
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  logged = []
})
afterAll(() => state.close())

/** The counters of a process that never writes by itself, and what they write. */
function openProcess(isBroken = false) {
  const usage = createUsageStore(state)
  const writes: unknown[][] = []
  const addRead: typeof usage.addRead = async (...count) => {
    if (isBroken) throw new Error('down')
    writes.push(count)
    await usage.addRead(...count)
  }
  const log = (code: string, fields?: object) => void logged.push({ code, ...fields })
  return { ...gatherReads({ ...usage, addRead }, { waitMs: 60_000, clock: createFakeClock(), log }), writes }
}

test('many reads cost one write for each project and account, and count exactly', async () => {
  const usage = openProcess()
  for (let i = 0; i < 30; i++) await usage.addRead(i % 3 === 0 ? null : 'p', 'a', DAY)
  for (let i = 0; i < 5; i++) await usage.addRead('q', null, DAY)
  expect(usage.writes).toEqual([])
  await usage.flush()
  expect(usage.writes.toSorted()).toEqual(
    [
      [null, 'a', DAY, 30],
      ['p', null, DAY, 20],
      ['q', null, DAY, 5],
    ].toSorted(),
  )
})

test('the process itself sees every read at once, and a second process adds to them', async () => {
  const [first, second] = [openProcess(), openProcess()]
  await Promise.all([first.addRead('p', 'a', DAY), second.addRead('p', 'a', DAY)])
  expect((await first.totals(['p']))[0]?.reads).toBe(1)
  expect((await second.month('a', '2026-11')).reads).toBe(2)
  await first.addRead('p', 'a', '2026-11-23')
  expect((await first.month('p', '2026-11')).days).toEqual({
    [DAY]: { events: 0, reads: 2 },
    '2026-11-23': { events: 0, reads: 1 },
  })
})

test('reads that cannot be counted are logged with their number', async () => {
  const usage = openProcess(true)
  await usage.addRead('p', null, DAY)
  await usage.addRead('p', null, DAY)
  await usage.flush()
  expect(logged).toEqual([{ code: 'READ_NOT_COUNTED', reads: 2, error: 'Error: down' }])
})
