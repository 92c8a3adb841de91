import type { HttpFunction } from '../http.ts'
import { httpFunction } from '../http-function.ts'
import { authorizePages } from './authorize.ts'
import { billingPages } from './billing.ts'
import { createBrowserSteps } from './browser.ts'
import { homePages } from './home.ts'
import type { PagesServices } from './services.ts'
import { settingsPages } from './settings.ts'
import { setupPages } from './setup.ts'
import { signInPages } from './sign-in.ts'

/** The pages for people: sign-in, approval of agents, the account, payments (contract 1.7, 3.4). */
export function pagesHandler(services: PagesServices): HttpFunction {
  const browser = createBrowserSteps(services)
  return httpFunction<'pages'>(services.log, {
    ...homePages(services, browser),
    ...signInPages(services, browser),
    ...setupPages(services, browser),
    ...authorizePages(services, browser),
    ...settingsPages(services, browser),
    ...billingPages(services, browser),
  })
}
