import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type AuditEvent, createAuditLog } from '#core/accounts/audit'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

const DAY_MS = 86_400_000
let state: TestState
let now = Date.UTC(2026, 10, 22)
const clock = { ...createFakeClock(), now: () => now }
let log: ReturnType<typeof createAuditLog>
const logged: string[] = []
beforeAll(async () => {
  state = await openTestState()
  log = createAuditLog({ ...state, clock, log: code => void logged.push(code) })
})
beforeEach(() => state.empty())
afterAll(() => state.close())

function event(overrides: Partial<AuditEvent> = {}): AuditEvent {
  const actor = { type: 'agent_session', id: 'ags_1', label: 'laptop' } as const
  return {
    account_id: 'acc_1',
    actor,
    action: 'stats',
    route: 'GET /stats',
    project: null,
    status: 200,
    ...overrides,
  }
}

test('an entry says who did what, when and with which result', async () => {
  await log.record(event({ project: 'shop' }))
  const { account_id: _, ...entry } = event({ project: 'shop' })
  expect(await log.list('acc_1', 10)).toEqual({ entries: [{ at: now, ...entry }], next_before: null })
  expect(await log.list('acc_2', 10)).toEqual({ entries: [], next_before: null })
})

test('entries of reports that were written together are paged like all others, between changes of the same second', async () => {
  const gathering = createAuditLog({
    ...state,
    clock,
    log: code => void logged.push(code),
    waitMs: 60_000,
  })
  now = Date.UTC(2026, 10, 23, 23, 59, 57)
  const expected: string[] = []
  for (let i = 0; i < 60; i++) {
    const entry = event({ action: `a${i}` })
    expected.unshift(entry.action)
    // Every seventh is a change, which does not wait. The seconds pass midnight.
    await (i % 7 === 3 ? gathering.record(entry) : gathering.recordReport(entry))
    now += 130
  }
  const { Count: changes } = await state.client.scan({ TableName: state.table })
  for (const limit of [1, 4, 7, 100]) {
    const seen: string[] = []
    let before: string | undefined
    for (;;) {
      const page = await gathering.list('acc_1', limit, before)
      expect(page?.entries.length).toBeLessThanOrEqual(limit)
      seen.push(...(page?.entries ?? []).map(({ action }) => action))
      if (page?.next_before == null) break
      before = page.next_before
    }
    expect(seen).toEqual(expected)
  }
  const { Count: all } = await state.client.scan({ TableName: state.table })
  // An item for each change, and one for each second with reports.
  expect([changes, all]).toEqual([9, 9 + 8])
})

test('pages give every entry once, newest first, over several days', async () => {
  for (let i = 0; i < 25; i++) {
    await log.record(event({ action: `a${i}` }))
    now += DAY_MS / 8
  }
  const seen: string[] = []
  let before: string | undefined
  for (;;) {
    const page = await log.list('acc_1', 4, before)
    seen.push(...(page?.entries ?? []).map(({ action }) => action))
    if (page?.next_before == null) break
    before = page.next_before
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `a${24 - i}`))
})

test('entries are shown for 30 days, and a cursor of another form is refused', async () => {
  await log.record(event())
  now += 30 * DAY_MS - 1
  expect((await log.list('acc_1', 10))?.entries).toHaveLength(1)
  now += 1
  expect((await log.list('acc_1', 10))?.entries).toHaveLength(0)
  expect(await log.list('acc_1', 10, 'nonsense')).toBeNull()
})

test('an entry that cannot be written fails nothing', async () => {
  const client = new Proxy(state.client, {
    get: (target, name) =>
      name === 'send' ? () => Promise.reject(new Error('down')) : Reflect.get(target, name),
  })
  const broken = createAuditLog({
    client,
    table: state.table,
    clock,
    log: code => void logged.push(code),
  })
  await broken.record(event())
  expect(logged).toEqual(['AUDIT_NOT_WRITTEN'])
})
