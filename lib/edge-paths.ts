import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

/** Paths of the scripts in the routes table. Only these responses are the same for every caller. */
export function scriptPaths(): string[] {
  const rows: Route[] = Object.values(routes)
  return rows
    .filter(({ responses }) => responses[200]?.contentType === 'application/javascript')
    .map(({ path }) => path.replace(/\{\w+\}/g, '*'))
}

/** What people type into a browser, or get as a link: the pages that need no sign-in first. */
export function pagePaths(): string[] {
  const { home, llms, dashboardSites, dashboardAccount, sharedDashboard } = routes
  const rows: Route[] = [home, llms, dashboardSites, dashboardAccount, sharedDashboard]
  return rows.map(({ path }) => path.replace(/\{\w+\}/g, '*'))
}

/** Paths whose function streams. */
export function streamPaths(): string[] {
  const rows: Route[] = Object.values(routes)
  return rows.filter(({ function: name }) => name === 'stream').map(({ path }) => path)
}

/** The rows that take events from browsers and servers of measured sites. */
export function ingestionRows(): Route[] {
  const rows: Route[] = Object.values(routes)
  return rows.filter(({ auth }) => auth === 'project_token')
}
