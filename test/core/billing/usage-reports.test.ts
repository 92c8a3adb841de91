import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PaymentProvider } from '#core/billing/payment-provider'
import { createUsageReports } from '#core/billing/usage-reports'
import { unavailable } from '#core/errors'
import { createUsageStore } from '#core/usage/store'
import { type StandIn, startPaymentStandIn } from '#local/payments/stand-in'
import { createStripePayments } from '#providers/stripe'
import { countEvents } from '#test/support/count-events'
import { openTestState, type TestState } from '#test/support/test-state'

const ACCOUNT = 'acc_0123456789abcdef'
const CUSTOMER = `cus_test_${ACCOUNT}`

let state: TestState
let standIn: StandIn
let usage: ReturnType<typeof createUsageStore>
let now = 0
/** What happens to the next reports, before or after the provider has got them. */
let faults: ('lost report' | 'lost response')[] = []
let logged: string[] = []
let times: number[] = []

beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  await standIn?.close()
  standIn = await startPaymentStandIn({ webhookUrl: 'http://127.0.0.1:9/' })
  usage = createUsageStore(state)
  now = Date.UTC(2026, 10, 21, 12)
  faults = []
  logged = []
  times = []
})
afterAll(async () => {
  await standIn.close()
  await state.close()
})

function openProcess() {
  const stripe = createStripePayments(standIn)
  const reportUsage: PaymentProvider['reportUsage'] = async report => {
    const fault = faults.shift()
    if (fault !== 'lost report') await stripe.reportUsage(report)
    if (fault !== undefined) throw unavailable(fault, 1)
    times.push(report.at)
  }
  const clock = { now: () => now }
  const log = (code: string) => void logged.push(code)
  return createUsageReports({ ...state, clock, log, usage, payments: { reportUsage } })
}

const count = (day: string, events: number) => countEvents(usage, { account_id: ACCOUNT, day, events })
const goTo = (date: string) => {
  now = Date.parse(date)
}

test('the events of a month are reported once a day, six hours after the day, also those before the payment', async () => {
  await count('2026-11-03', 1_000)
  await count('2026-11-21', 20)
  const reports = openProcess()
  await reports.begin(ACCOUNT, CUSTOMER)
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(1_000)
  goTo('2026-11-22T05:59:00Z')
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(1_000)
  goTo('2026-11-22T06:00:00Z')
  for (let i = 0; i < 3; i++) await openProcess().tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(1_020)
  expect(logged).toEqual([])
})

test('the last events of a month are reported in that month, and those of the next one by themselves', async () => {
  const reports = openProcess()
  await reports.begin(ACCOUNT, CUSTOMER)
  await count('2026-11-30', 7)
  await count('2026-12-01', 5)
  goTo('2026-12-02T06:00:00Z')
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(12)
  expect(times.map(at => new Date(at).toISOString().slice(0, 7))).toEqual(['2026-11', '2026-12'])
  goTo('2027-02-10T06:00:00Z')
  await count('2027-01-31', 3)
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(15)
})

test.each([['lost report'], ['lost response']] as const)(
  'after a %s the same report is sent again and counts once, beside newer events',
  async fault => {
    const reports = openProcess()
    await reports.begin(ACCOUNT, CUSTOMER)
    await count('2026-11-20', 100)
    faults = [fault, fault]
    for (let i = 0; i < 2; i++) await reports.tick()
    expect(logged).toEqual(['JOB_FAILED', 'JOB_FAILED'])
    await count('2026-11-20', 11)
    await openProcess().tick()
    expect(standIn.usageOf(ACCOUNT)).toBe(111)
  },
)

test('processes that report at the same time report each event once', async () => {
  await openProcess().begin(ACCOUNT, CUSTOMER)
  await count('2026-11-20', 100)
  await Promise.all([openProcess().tick(), openProcess().tick(), openProcess().end(ACCOUNT)])
  goTo('2026-11-23T06:00:00Z')
  await openProcess().tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(100)
})

test('the end of a subscription reports today’s events too, and a new one in the same month reports none of them again', async () => {
  const reports = openProcess()
  await reports.begin(ACCOUNT, CUSTOMER)
  await count('2026-11-21', 50)
  await reports.end(ACCOUNT)
  expect(standIn.usageOf(ACCOUNT)).toBe(50)
  goTo('2026-11-23T12:00:00Z')
  await count('2026-11-22', 9)
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(50)
  await reports.begin(ACCOUNT, CUSTOMER)
  await reports.begin(ACCOUNT, CUSTOMER)
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(59)
})

test('months without a subscription are not reported', async () => {
  const reports = openProcess()
  await reports.begin(ACCOUNT, CUSTOMER)
  await reports.end(ACCOUNT)
  await count('2026-12-15', 1_000)
  goTo('2027-01-10T12:00:00Z')
  await count('2027-01-08', 4)
  await reports.begin(ACCOUNT, CUSTOMER)
  await reports.tick()
  expect(standIn.usageOf(ACCOUNT)).toBe(4)
  await reports.forget(ACCOUNT)
  await reports.tick()
})
