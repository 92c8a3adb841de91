import { expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { events } from '#core/reports/events'
import { funnel } from '#core/reports/funnel/funnel'
import { heatmap } from '#core/reports/heatmap'
import { paths } from '#core/reports/paths/paths'
import { query } from '#core/reports/query/query'
import { retention } from '#core/reports/retention/retention'
import { createNotes } from '#core/reports/run/notes'
import { type Report, runReport } from '#core/reports/run/run'
import { conversionQuery } from '#schemas/conversion'
import { eventsQuery } from '#schemas/events'
import { funnelBody } from '#schemas/funnel'
import { pathsBody } from '#schemas/paths'
import { breakdownQuery } from '#schemas/properties'
import { queryBody } from '#schemas/query'
import { retentionQuery } from '#schemas/retention'
import { heatmapQuery } from '#schemas/sessions'
import { type ReportLake, withReportLake } from '#test/support/report-lake'

const SIGN_UP = 'The event `sign_up` does not occur in the range. Did you mean `signup_completed`?'
const PLAM = 'The property `plam` does not occur in the range. Did you mean `plan`?'
const FRANCE = 'The value `FR` does not occur in `country` in the range.'
const EIGHT =
  'The range has 8 dates, so not every weekday is in it equally often. Send `since=6d` for whole weeks.'
const pathIs = (value: string) => ({ property: 'path', op: 'eq', value })
const NOWHERE = 'The event `zzz` does not occur in the range.'

/** Each request with the warnings of its response. */
// biome-ignore lint/suspicious/noExplicitAny: reports of all kinds
const requests: [string, Report<any, any>, { parse(value: unknown): object }, object, string[]][] = [
  ['events', events, eventsQuery, { event: 'sign_up' }, [SIGN_UP]],
  ['events that occur', events, eventsQuery, { event: 'page_view' }, []],
  ['breakdown', breakdown, breakdownQuery, { property: 'plam', event: 'page_view' }, [PLAM]],
  ['breakdown by country', breakdown, breakdownQuery, { property: 'country' }, []],
  ['conversion', conversion, conversionQuery, { goal: 'sign_up', by: 'plan' }, [SIGN_UP]],
  ['conversion by a property', conversion, conversionQuery, { goal: 'signup_completed', by: 'plam' }, [PLAM]],
  ['paths', paths, pathsBody, { goal_event: 'sign_up' }, [SIGN_UP]],
  ['retention', retention, retentionQuery, { event: 'zzz' }, [NOWHERE]],
  ['funnel', funnel, funnelBody, { steps: [{ event: 'page_view' }, { event: 'sign_up' }] }, [SIGN_UP]],
  ['query', query, queryBody, { filters: [{ field: 'event', op: 'eq', value: 'sign_up' }] }, [SIGN_UP]],
  ['query by a property', query, queryBody, { group_by: ['properties.plam'], count_mode: 'raw' }, [PLAM]],
  [
    'query by a filter on a property',
    query,
    queryBody,
    { filters: [{ field: 'properties.plam', op: 'eq', value: 'pro' }] },
    [PLAM],
  ],
  ['query with rows', query, queryBody, { group_by: ['properties.plan'], count_mode: 'raw' }, []],
  [
    'query by a filter on a value',
    query,
    queryBody,
    { filters: [{ field: 'properties.plan', op: 'eq', value: 'prp' }] },
    ['The value `prp` does not occur in `plan` in the range. Did you mean `pro`?'],
  ],
  [
    'query by a country',
    query,
    queryBody,
    { filters: [{ field: 'country', op: 'eq', value: 'FR' }] },
    [FRANCE],
  ],
  [
    'funnel by a page',
    funnel,
    funnelBody,
    { steps: [{ event: 'page_view', filters: [pathIs('/prcing')] }, { event: 'signup_completed' }] },
    ['The value `/prcing` does not occur in `path` in the range. Did you mean `/pricing`?'],
  ],
  ['heatmap of 8 dates', heatmap, heatmapQuery, { since: '7d' }, [EIGHT]],
  ['heatmap of 7 dates', heatmap, heatmapQuery, { since: '6d' }, []],
]

test('an empty result says which names do not occur, and which name is near', async () => {
  const event = (name: string) => ({
    ...{
      event: name,
      properties: { plan: 'pro', path: '/pricing' },
      user_id: 'u1',
      session_id: 's1' as const,
    },
    ...{ event_id: null, lag: 0 },
  })
  const items = [event('page_view'), event('signup_completed')]
  const given = [{ project: 'proj_a' as const, country: 'DE' as const, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests: given }], compacted: 1, mergeEnds: [] }, async lake => {
    for (const [name, report, schema, asked, warnings] of requests) {
      expect(await warningsOf(lake, report, schema.parse({ project: 'x', ...asked })), name).toEqual(warnings)
    }
  })
})

test('a project without events in the range has no wrong names', async () => {
  await withReportLake({ epochs: [], compacted: 0, mergeEnds: [] }, async lake => {
    const params = eventsQuery.parse({ project: 'x', event: 'sign_up' })
    expect(await warningsOf(lake, events, params)).toEqual([])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: reports of all kinds
async function warningsOf({ services, projects }: ReportLake, report: Report<any, any>, query: object) {
  const notes = createNotes()
  const [project] = projects
  if (project === undefined) throw new Error('The lake has no project.')
  await runReport(report, { ...services, notes }, { project, query })
  return [...notes.warnings]
}
