import type { z } from 'zod'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { events } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { insights } from '#core/reports/insights'
import { eventsLookup, journey } from '#core/reports/lookups'
import { pages } from '#core/reports/pages'
import { paths } from '#core/reports/paths/paths'
import { properties } from '#core/reports/properties'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention/retention'
import type { Report } from '#core/reports/run/run'
import { sessionDistribution } from '#core/reports/session-distribution'
import { sessions } from '#core/reports/sessions'
import { sources } from '#core/reports/sources/sources'
import { stats } from '#core/reports/stats'
import type { FieldsOf } from '#lambdas/chain/row-handler'
import type { Endpoints } from '#lambdas/http/http-function'
import type { Route } from '#schemas/route'
import type { routes } from '#schemas/routes'

/** The rows with `function: 'reports'` whose report reads the lake for one project. */
export type ReportName = Exclude<
  keyof Endpoints<'reports'>,
  | 'allSites'
  | 'live'
  | 'botTraffic'
  | 'accountBotTraffic'
  | 'erasePerson'
  | 'readExperiment'
  | 'updateExperiment'
  | 'reads'
  | 'verifyScan'
  | 'viewEvents'
>
export type ParamsOf<R extends Route> = (FieldsOf<R> extends { query: infer Q } ? Q : unknown) &
  (FieldsOf<R> extends { body: infer B } ? B : unknown)
type BodyOf<R extends Route> = R['responses'] extends { 200: { schema: infer S extends z.ZodType } }
  ? z.input<S>
  : never

/**
 * The report of each row. A missing report does not compile, nor does one with other parameters or another
 * body than its row.
 */
export const reports: {
  [Name in ReportName]: Report<ParamsOf<(typeof routes)[Name]>, BodyOf<(typeof routes)[Name]>>
} = {
  stats,
  events,
  sessions,
  sessionDistribution,
  pages,
  sources,
  insights,
  heatmap,
  query,
  funnel,
  paths,
  retention,
  eventsByBody: eventsLookup,
  eventsLookup,
  journey,
  journeyByBody: journey,
  journeyLookup: journey,
  breakdown,
  conversion,
  properties,
  receivedProperties,
}
