import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccessStores } from '#core/access-stores'
import type { Account } from '#core/accounts/account'
import { type Billing, createBilling } from '#core/billing/billing'
import type { PaymentProvider } from '#core/billing/payment-provider'
import { unavailable } from '#core/errors'
import { profiles } from '#core/plans/profile'
import { createStores } from '#core/stores'
import { type StandIn, startPaymentStandIn } from '#local/payments/stand-in'
import { createStripePayments } from '#providers/stripe'
import { systemClock } from '#providers/system-clock'
import { countEvents } from '#test/support/count-events'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
let webhooks: Server
let standIn: StandIn
let world: ReturnType<typeof openProcess>
let now = Date.UTC(2026, 10, 22)
/** Whether the provider cannot be reached when a subscription is to be cancelled. */
let isDown = false
let logged: string[] = []

beforeAll(async () => {
  state = await openTestState()
  webhooks = createServer(async (request, response) => {
    const body = await buffer(request)
    const status = await world.billing.takeWebhook(body, String(request.headers['stripe-signature'])).then(
      () => 200,
      () => 503,
    )
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(webhooks, 'listening')
  const { port } = webhooks.address() as AddressInfo
  standIn = await startPaymentStandIn({ webhookUrl: `http://127.0.0.1:${port}` })
})
beforeEach(() => {
  isDown = false
  logged = []
  world = openProcess()
})
afterAll(async () => {
  await standIn.close()
  webhooks.close()
  await state.close()
})

function openProcess() {
  const clock = { ...systemClock, now: () => now }
  const stores = createStores(state, clock)
  const log = (code: string) => void logged.push(code)
  const stripe = createStripePayments(standIn)
  const payments: PaymentProvider = {
    ...stripe,
    cancel: id => (isDown ? Promise.reject(unavailable('down', 5)) : stripe.cancel(id)),
  }
  const billing: Billing = createBilling({ ...state, ...stores, clock, log, payments })
  const options = { ...state, ...stores, clock, log, profile: profiles.hosted, admitted: [], billing }
  const access = createAccessStores(options)
  return { ...stores, ...access, billing }
}

function createAccount(): Promise<Account> {
  return world.accounts.create({ email: 'a@example.com', tier: 'free', complimentary: false })
}

/** Pays at the checkout page. */
async function pay(checkout: string): Promise<void> {
  await fetch(checkout, { method: 'POST', redirect: 'manual' })
}

async function payingAccount(): Promise<{ account: Account; subscription: string }> {
  const account = await createAccount()
  await pay(await world.billing.startCheckout(account, 'https://footfall.example'))
  expect((await world.accounts.byId(account.id))?.tier).toBe('pro')
  return { account, subscription: standIn.subscriptionOf(account.id) ?? '' }
}

const statusOf = async (id: string) => {
  const found = await createStripePayments(standIn).subscription(id)
  return found?.is_over === true ? 'over' : 'open'
}

test('a deleted account has its subscription cancelled at once, and no other account has', async () => {
  const [gone, other] = [await payingAccount(), await payingAccount()]
  await world.deleteAccount(gone.account)
  expect([await statusOf(gone.subscription), await statusOf(other.subscription)]).toEqual(['over', 'open'])
  expect((await world.accounts.byId(other.account.id))?.tier).toBe('pro')
  expect(logged).toEqual([])
})

test('a deleted account pays for the events until then', async () => {
  const { account } = await payingAccount()
  await countEvents(world.usage, { account_id: account.id, day: '2026-11-22', events: 30 })
  await world.deleteAccount(account)
  expect(standIn.usageOf(account.id)).toBe(30)
})

test('an account without a subscription is deleted without the provider', async () => {
  isDown = true
  const account = await createAccount()
  await world.deleteAccount(account)
  expect([await world.accounts.byId(account.id), logged]).toEqual([null, []])
})

test('a provider that is down delays the cancellation, not the deletion', async () => {
  const { account, subscription } = await payingAccount()
  isDown = true
  await world.deleteAccount(account)
  expect([await world.accounts.byId(account.id), await statusOf(subscription)]).toEqual([null, 'open'])
  await world.billing.cancelPlanned()
  expect(logged).toEqual(['JOB_FAILED', 'JOB_FAILED'])
  isDown = false
  // Another process, such as the scheduler, goes on.
  await openProcess().billing.cancelPlanned()
  expect(await statusOf(subscription)).toBe('over')
  await world.billing.cancelPlanned()
  expect(logged).toHaveLength(2)
})

test('a subscription that is unpaid, but not over, is cancelled too', async () => {
  const { account, subscription } = await payingAccount()
  await standIn.setStatus(subscription, 'unpaid')
  expect((await world.accounts.byId(account.id))?.tier).toBe('free')
  await world.deleteAccount(account)
  expect(await statusOf(subscription)).toBe('over')
})

test('who pays at an open checkout after the deletion pays nothing on', async () => {
  const account = await createAccount()
  const checkout = await world.billing.startCheckout(account, 'https://footfall.example')
  await world.deleteAccount(account)
  await pay(checkout)
  expect(await statusOf(standIn.subscriptionOf(account.id) ?? '')).toBe('over')
})

test('a deletion that failed after its plan cancels nothing, and its plan is forgotten after an hour', async () => {
  const { account, subscription } = await payingAccount()
  await world.billing.planCancellation(account.id)
  await world.billing.cancelPlanned()
  now += 3_600_001
  await world.billing.cancelPlanned()
  expect(await statusOf(subscription)).toBe('open')
  // The plan is gone: a later deletion plans anew.
  const { Count } = await state.client.query({
    TableName: state.table,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'cancellations' },
  })
  expect(Count).toBe(0)
})
