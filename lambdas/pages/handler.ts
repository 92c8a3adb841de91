import { createChain } from '#lambdas/chain/chain'
import type { HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http/http'
import { type Endpoints, httpFunction } from '#lambdas/http/http-function'
import { routes } from '#schemas/routes'
import { authorizePages } from './authorize.ts'
import { authorizeClientPages } from './authorize-client.ts'
import { billingPages } from './billing.ts'
import { createBrowserSteps } from './browser.ts'
import { dashboardPages } from './dashboard.ts'
import { homePages } from './home.ts'
import { passkeyPages } from './passkeys.ts'
import type { PagesServices } from './services.ts'
import { settingsPages } from './settings.ts'
import { setupPages } from './setup.ts'
import { signInPages } from './sign-in.ts'

type PageNames = keyof Endpoints<'pages'>
type Pages = Record<PageNames, (request: HttpRequest) => HttpResponse | Promise<HttpResponse>>

/**
 * The pages for people: sign-in, approval of agents, the account, payments (docs/api/account.md,
 * docs/api/agent-sessions.md).
 */
export function pagesHandler(services: PagesServices): HttpFunction {
  const browser = createBrowserSteps(services)
  const chain = createChain(services.log)
  const pages: Pages = {
    ...homePages(services, browser),
    ...dashboardPages(services, browser),
    ...signInPages(services, browser),
    ...passkeyPages(services, browser),
    ...setupPages(services, browser),
    ...authorizeClientPages(services, browser),
    ...authorizePages(services, browser),
    ...settingsPages(services, browser),
    ...billingPages(services, browser),
  }
  const endpoints = Object.entries(pages).map(([name, page]) => [
    name,
    chain.endpoint(routes[name as PageNames], ({ request }) => page(request)),
  ])
  return httpFunction<'pages'>(services.log, Object.fromEntries(endpoints))
}
