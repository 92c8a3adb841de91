import { type ReportName, reports } from '#lambdas/reports/reports'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

export type { ReportName }

/** The rows whose answer is a report: those of the table that the function of reports runs. */
export const reportRoutes = (Object.keys(reports) as ReportName[]).map((name): [ReportName, Route] => [
  name,
  routes[name],
])
