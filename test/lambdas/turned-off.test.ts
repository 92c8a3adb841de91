import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/**
 * Routes that a setting turns off are not there: 404, before anything of the request is read. Else the answer
 * names fields, asks for a sign-in, or spends a limit of the caller's network.
 */

let service: HttpService
let pages: PagesService
beforeAll(async () => {
  service = await openHttpService({ profile: 'hosted', devApproveSecret: null })
  pages = await openPagesService({ profile: 'hosted' })
})
afterAll(async () => {
  await service.close()
  await pages.close()
})

/** Requests that break the rules of their row, each in another way. */
const badRequests: [string, RequestOptions][] = [
  ['no body', { key: null }],
  ['a body that is not JSON', { key: null, body: Buffer.from('{') }],
  ['a body without fields', { key: null, body: {} }],
  ['JSON that is too deep', { key: null, body: Buffer.from('['.repeat(400_000)) }],
  ['a field of another type', { key: null, body: { secret: 1, auth_request_id: [], email: 'x' } }],
  ['a page of a browser', { key: null, headers: { Origin: 'https://evil.example' }, body: {} }],
]

describe.each([
  ['POST /dev/approve without DEV_APPROVE', routes.devApprove],
  ['POST /demo/session without a demo', routes.createDemoSession],
] as [string, Route][])('%s', (_, route) => {
  test.each(badRequests)('is not there for %s', async (_, request) => {
    const { status, body } = await service.call(route, request)
    expect([status, body.error]).toEqual([404, 'NOT_FOUND'])
    expect(body.message).not.toMatch(/`|field/i)
  })

  test('spends no limit: the 40th request gets the same answer', async () => {
    const statuses = new Set<number>()
    for (let i = 0; i < 40; i++) statuses.add((await service.call(route, { key: null, body: {} })).status)
    expect([...statuses]).toEqual([404])
  })
})

const ofPayments = [
  'upgradePage',
  'startCheckout',
  'checkoutDone',
  'spendCapPage',
  'changeSpendCap',
  'paymentWebhook',
] as const satisfies RouteName[]

describe.each(ofPayments)('%s where nobody pays', name => {
  test.each(['text/html', 'application/json'])('is not there, without a sign-in, for %s', async accept => {
    const { method, path } = routes[name]
    const response = await fetch(`${pages.baseUrl}${path}?account=acc_of_somebody`, {
      method,
      redirect: 'manual',
      headers: { Accept: accept },
      ...(method === 'POST' && { body: 'dollars=none' }),
    })
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('takes no payments')
  })
})

test.each(['startSignIn', 'finishSignIn'] as const)(
  '%s of a provider that is not set up is not there, and spends no limit',
  async name => {
    const path = routes[name].path.replace('{provider}', 'github')
    const statuses = new Set<number>()
    for (let i = 0; i < 25; i++) {
      statuses.add((await fetch(`${pages.baseUrl}${path}`, { redirect: 'manual' })).status)
    }
    expect([...statuses]).toEqual([404])
  },
)
