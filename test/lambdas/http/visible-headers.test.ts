import { expect, test } from 'vitest'
import { visibleHeaders } from '#lambdas/http/visible-headers'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const headers = { cookie: 'secret=1', accept: '*/*' }
const namesThatSeeCookies = Object.entries<Route>(routes)
  .filter(([, route]) => visibleHeaders(route, headers).cookie !== undefined)
  .map(([name]) => name)

test('pages and rows of an account see the cookies; ingestion, scripts and the session flow do not', () => {
  expect(namesThatSeeCookies).toEqual(
    expect.arrayContaining(['stats', 'readAccount', 'settingsPage', 'logout']),
  )
  for (const name of ['track', 'trackBatch', 'trackerJs', 'health', 'startSession', 'paymentWebhook']) {
    expect(Object.keys(routes)).toContain(name)
    expect(namesThatSeeCookies).not.toContain(name)
  }
})

test('only the cookie is hidden', () => {
  expect(visibleHeaders(routes.track, headers)).toEqual({ accept: '*/*' })
})
