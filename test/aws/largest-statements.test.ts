import { expect, test } from 'vitest'
import { statementText } from '#aws/statement-text'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { QueryEngine, Row } from '#core/ports'
import { MAX_LISTED_REPLAYS, NO_REPLAYS } from '#core/replays/of-sessions'
import { allSites } from '#core/reports/all-sites'
import { type Report, runReport } from '#core/reports/run/run'
import { DAY_MS } from '#core/time'
import { type ReportName, reports } from '#lambdas/reports/reports'
import { conversionQuery } from '#schemas/conversion'
import { funnelBody, MAX_STEPS } from '#schemas/funnel'
import { pathsBody } from '#schemas/paths'
import { MAX_FILTERS, queryBody } from '#schemas/query'
import { retentionQuery } from '#schemas/retention'
import { fixedLake, segmentOf } from '#test/support/fixed-lake'

/**
 * Athena takes statements of 256 KB. Every report makes its largest statements here: the largest request that
 * its schema allows, over a bucket whose merges have stood still for ten days, with as many hot files as a
 * busy epoch has.
 */

const NOW = Date.UTC(2026, 10, 21, 12)
const EPOCH_MS = 15 * 60_000
const SEGMENTS = 960
const HOT_FILES = 1_000
/** S3 buckets have names of at most 63 characters. */
const LAKE = `s3://${'b'.repeat(63)}`
const FIRST_EPOCH = 100_000

const segments = Array.from({ length: SEGMENTS }, (_, i) => {
  const firstAt = NOW - (SEGMENTS - i + 1) * EPOCH_MS
  const from = FIRST_EPOCH + i
  return segmentOf({ from, until: from + 1, firstAt, lastAt: firstAt + EPOCH_MS - 1, eventIds: 1 })
})
const compacted = FIRST_EPOCH + SEGMENTS
// Kinesis has sequence numbers of 56 digits.
const hot = Array.from({ length: HOT_FILES }, (_, i) => {
  const sequence = `49${String(i).padStart(54, '0')}`
  return `hot/epoch=${compacted}/shardId-000000000000-${sequence}-${sequence}.parquet`
})
const lake: LakeSnapshot = fixedLake({ compacted, epoch: compacted, segments, hot, tombstones: [] })
const project = {
  id: `proj_${'a'.repeat(16)}`,
  name: 'shop',
  bucket: 7,
  created_at: '2020-01-01T00:00:00Z',
  has_event_ids: true,
}

const clock = { now: () => NOW }
const sent: number[] = []
const engine: QueryEngine = {
  areScansBilled: true,
  async rows(query) {
    sent.push(Buffer.byteLength(statementText(query, LAKE)))
    return rowsOf(query.text)
  },
}

/** Rows that make the next statement of the report as large as it can be. */
function rowsOf(text: string): Row[] {
  if (text.includes('AS copied_key')) {
    return Array.from({ length: 300 }, (_, i) => ({
      copied_key: String(9e15 + i).padStart(19, '1'),
      replaced: i < 20 ? `${'i'.repeat(60)}${1_000 + i} 1795000000` : null,
    }))
  }
  if (text.includes('AS user_time')) {
    return Array.from({ length: 1_001 }, (_, i) => ({
      session_key: 9e15 + i,
      user_key: 9e15 + i,
      start_time: NOW - 2 * i,
      user_time: NOW - 2 * i - 1,
    }))
  }
  if (text.includes('grouping(first_date')) {
    const kinds = [0b101, 0b110]
    return kinds.flatMap(kind =>
      Array.from({ length: 20 }, (_, i) => ({ kind, value: `${'"'.repeat(255)}${i}`, total: 1 })),
    )
  }
  return []
}

const key = (i: number) => `${'k'.repeat(124)}_${i}`
const LONG = "'".repeat(256)
const filters = Array.from({ length: MAX_FILTERS }, (_, i) => ({
  field: `properties.${key(i)}`,
  op: 'gte',
  value: 1e15 + i,
}))
const dated = { since: '3650d', tz: 'Europe/Berlin' }

const person = { ...dated, limit: 1000, user_id: LONG }

/** The people who came back on the last of 30 days. */
const retentionPeople = {
  project: 'shop',
  period: 'day',
  cohorts: 30,
  people_of_cohort: new Date(NOW - 29 * DAY_MS).toJSON().slice(0, 10),
  people_of_offset: 29,
}

/** As many sessions with a replay as a list asks for. */
const RECORDED = Array.from({ length: MAX_LISTED_REPLAYS }, (_, i) => `session ${i}`)

/** The largest requests of each report: a report without one does not compile. */
const largestRequests: Record<ReportName, Record<string, unknown>[]> = {
  stats: [
    { ...dated, groupBy: 'day', compare: 'previous' },
    { ...dated, groupBy: 'hour' },
  ],
  events: [{ ...person, event: LONG, session_id: LONG }],
  eventsByBody: [person],
  eventsLookup: [person],
  journey: [person],
  journeyByBody: [person],
  journeyLookup: [person],
  sessions: [{ ...person, is_bounce: 0, has_replay: true }],
  sessionDistribution: [dated],
  pages: [{ ...dated, type: 'both', limit: 1000 }],
  sources: [{ ...dated, by: 'content', goal: LONG, currency: 'EUR', limit: 1000 }],
  insights: [{ period: '90d', tz: 'Europe/Berlin' }],
  heatmap: [dated],
  breakdown: [{ ...dated, property: key(0), event: LONG, limit: 1000 }],
  properties: [dated],
  receivedProperties: [{ ...dated, sample: 10_000 }],
  query: [
    queryBody.parse({
      project: 'shop',
      metrics: [
        ...Array.from({ length: 47 }, (_, i) => `p95(properties.${key(i)})`),
        'bounce_rate',
        'single_page_rate',
        'avg_duration',
      ],
      group_by: Array.from({ length: 20 }, (_, i) => `properties.${key(i)}`),
      filters,
      date_from: '3650d',
      tz: 'Europe/Berlin',
    }),
    queryBody.parse({ project: 'shop', metrics: ['bounce_rate'], group_by: ['date'], date_from: '3650d' }),
    queryBody.parse({
      project: 'shop',
      metrics: ['event_count', `rate(${JSON.stringify({ or: filters.slice(0, 80) })})`],
      group_by: ['properties.plan'],
      date_from: '3650d',
      tz: 'Europe/Berlin',
    }),
    // With `bounce_rate` they would read the files a fourth time: of so many that is UNAVAILABLE, with what
    // to do.
    queryBody.parse({
      project: 'shop',
      metrics: ['event_count', 'unique(plan)'],
      group_by: ['channel', 'source', 'entry_page', 'is_bounce'],
      date_from: '3650d',
      tz: 'Europe/Berlin',
    }),
  ],
  funnel: [
    funnelBody.parse({
      project: 'shop',
      ...dated,
      steps: Array.from({ length: MAX_STEPS }, (_, i) => ({
        event: LONG,
        filters: filters.slice(i * 12, i * 12 + 12),
      })),
      breakdown: key(0),
      people_of_step: 1,
      people_dropped: true,
    }),
    funnelBody.parse({
      project: 'shop',
      ...dated,
      steps: [{ event: LONG }, { event: LONG }],
      breakdown: 'channel',
      people_of_step: 1,
    }),
  ],
  conversion: [
    conversionQuery.parse({ project: 'shop', since: '3650d', goal: LONG, from: LONG, by: key(0) }),
  ],
  paths: [pathsBody.parse({ project: 'shop', goal_event: LONG, since: '90d', max_steps: 5 })],
  retention: [
    retentionQuery.parse({ project: 'shop', period: 'day', cohorts: 30 }),
    retentionQuery.parse({ ...retentionPeople }),
    retentionQuery.parse({ ...retentionPeople, event: LONG, returning_event: LONG }),
  ],
}

const cases = Object.entries(largestRequests).flatMap(([name, requests]) =>
  requests.map((params, i) => ({ name: name as ReportName, number: i + 1, params })),
)

test.each(cases)(
  'the statements of $name, request $number, are short enough for Athena',
  async ({ name, params }) => {
    sent.length = 0
    await runReport(
      reports[name] as Report<Record<string, unknown>, unknown>,
      { engine, openLake: async () => lake, clock },
      {
        project,
        query: params,
        replays: {
          ...NO_REPLAYS,
          findRecorded: async (_, { from }) => ({ ids: RECORDED, since: from, hasMore: true }),
        },
      },
    )
    expect(sent.length).toBeGreaterThan(0)
  },
)

test('the statements of all sites are short enough for Athena with forty projects', async () => {
  sent.length = 0
  await allSites(
    { engine, openLake: async () => lake, clock },
    {
      projects: Array.from({ length: 40 }, (_, i) => ({
        ...project,
        id: `${project.id.slice(0, -2)}${i}`,
        bucket: i % 64,
      })),
      params: { period: '90d', limit: 10, tz: 'Europe/Berlin' },
      signal: undefined,
    },
  )
  expect(sent.length).toBeGreaterThan(0)
})
