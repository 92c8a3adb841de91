import type { z } from 'zod'
import { DURATION_MS } from '#core/lake/read/session-rule'
import type { Row, SqlQuery } from '#core/ports'
import { MAX_CURRENCY_CHARS } from '#core/reports/query/currencies-metric'
import { sumOfParts, sumParts } from '#core/reports/query/exact-sum'
import { warnOf } from '#core/reports/run/caveats'
import { compareCodePoints } from '#core/reports/run/code-points'
import { noteMissing } from '#core/reports/run/mostly-missing'
import { ratio } from '#core/reports/run/rounding'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from '#core/reports/run/run'
import { numberOf } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { integer, join, sql } from '#core/sql/sql'
import type { Channel } from '#schemas/channels'
import { namesOf } from '#schemas/compare'
import { sourcesOfPeriod, type sourcesQuery, type sourcesResponse } from '#schemas/sources'
import { RULES_VERSION } from './known-sources.ts'
import { ownSources } from './own-sources.ts'
import { type EventSum, sessionsWithSources, sumsOfSessions } from './session-sources.ts'

export type SourcesParams = Omit<z.output<typeof sourcesQuery>, 'project'>
type Body = z.input<typeof sourcesResponse>

/** GET /sources (docs/api/sources.md): sessions by where they came from, most sessions first. */
export const sources = defineReport<SourcesParams, Body>({
  range: sinceDays(7),
  compared: { fields: namesOf(sourcesOfPeriod) },
  async compute(run, request) {
    const { params, project, notes } = request
    const { by, goal } = params
    const rows = await run(groupsSql(request))
    const total = rows.find(row => Number(row.is_total) === 1) ?? {}
    const groups = rows.filter(row => Number(row.is_total) === 0)
    const shown = groups.filter(row => row.shown_place !== null)
    const hidden = groups.find(row => row.shown_place === null)
    const isAnyMixed = goal !== undefined && isMixed(total)
    if (isAnyMixed) warnOf(notes, 'MIXED_CURRENCIES', MIXED)
    const sums = isAnyMixed ? sumsByGroup(await run(currenciesSql(request, goal))) : new Map()
    const numbersOf = (row: Row) => ({ ...toNumbers(row, params), ...byCurrency(sums, row) })
    const [all, missing] = [Number(total.sessions ?? 0), Number(total.without_value ?? 0)]
    if (INSTEAD_OF.has(by))
      noteMissing(notes, { by, instead: 'source', all, missing, have: Number(total.with_instead ?? 0) })
    return {
      project: project.name,
      period: toPeriod(request),
      by,
      goal: goal ?? null,
      rules_version: RULES_VERSION,
      total: numbersOf(total),
      rows: shown.map(row => ({
        value: row.group_value === null ? null : String(row.group_value),
        ...((by === 'source' || by === 'referrer') && { channel: channelOf(row) }),
        ...numbersOf(row),
      })),
      ...(hidden !== undefined && {
        other: { values: Number(hidden.group_count), ...restOf(total, shown, params) },
      }),
    }
  },
  namesOfEmpty: ({ goal }, { total }) =>
    goal === undefined || Number(total.conversions) > 0 ? null : { events: [goal], properties: [] },
})

const MIXED =
  'The values of these events have several currencies, so `sum_value` is null there, and `by_currency` has each. Send `currency` to add the values of one.'

/** Groups that many visits lack, and whose visits may have a source. */
const INSTEAD_OF: ReadonlySet<SourcesParams['by']> = new Set(['referrer', 'campaign', 'content'])

/** The column of each group. */
const GROUP_COLUMNS = {
  channel: sql`channel`,
  source: sql`source`,
  referrer: sql`referrer_host`,
  campaign: sql`nullif(utm_campaign, '')`,
  content: sql`nullif(utm_content, '')`,
  landing_page: sql`entry_page`,
} as const satisfies Record<SourcesParams['by'], SqlQuery>

const FIELDS = ['user_key', 'start_at', 'end_at', 'is_bounce', 'page_view_count'] as const

/**
 * The totals of all sessions, one row for each of the largest groups, and one without a place for the others.
 * The value of a session is there twice, because the grouping set of the totals makes `group_value` null.
 */
function groupsSql({ read, params, project, context }: ReportRequest<SourcesParams>): SqlQuery {
  const { by, goal, limit } = params
  const started = sessionsWithSources(read, FIELDS, ownSources(project, context))
  const withGoal =
    goal === undefined
      ? sql``
      : sql` LEFT JOIN (${sumsOfSessions(read, { event: goal, sums: goalSums(goal, params.currency) })}) AS session_goal ON sums_key = session_key`
  const ofGoal =
    goal === undefined
      ? sql``
      : sql`, count(sums_key) AS conversions, ${sumOfParts([sql`sum(millionths)`, sql`sum(others)`])} AS sum_value,
          min(first_currency) AS first_currency, max(last_currency) AS last_currency`
  const columns = goal === undefined ? NUMBERS : [...NUMBERS, ...GOAL_NUMBERS]
  return sql`SELECT is_total, shown_place, count(*) AS group_count, max(group_value) AS group_value, ${join(
    columns.map(column => sql`max(${column}) AS ${column}`),
    ', ',
  )}
    FROM (SELECT *, CASE WHEN place <= ${integer(limit)} THEN place END AS shown_place
    FROM (SELECT *, row_number() OVER (PARTITION BY is_total ORDER BY sessions DESC, group_value ASC NULLS LAST) AS place
      FROM (SELECT grouping(group_value) AS is_total, group_value, count(*) AS sessions, count(DISTINCT user_key) AS people,
          CAST(sum(is_bounce) AS bigint) AS bounces, CAST(sum(${DURATION_MS}) AS bigint) AS duration,
          CAST(sum(page_view_count) AS bigint) AS page_views, min(channel) AS first_channel, max(channel) AS last_channel,
          count(CASE WHEN value_of_session IS NULL THEN 1 END) AS without_value,
          count(CASE WHEN value_of_session IS NULL THEN source END) AS with_instead${ofGoal}
        FROM (SELECT *, ${GROUP_COLUMNS[by]} AS group_value, ${GROUP_COLUMNS[by]} AS value_of_session FROM ${started} AS named_session${withGoal}) AS grouped_session
        GROUP BY GROUPING SETS ((group_value), ())) AS source_group) AS ranked_group) AS shown_group
    GROUP BY is_total, shown_place
    ORDER BY is_total DESC, shown_place NULLS LAST`
}

/** The numbers of a group. */
const NUMBERS = [
  ...[sql`sessions`, sql`people`, sql`bounces`, sql`duration`, sql`page_views`],
  ...[sql`first_channel`, sql`last_channel`, sql`without_value`, sql`with_instead`],
]
const GOAL_NUMBERS = [sql`conversions`, sql`sum_value`, sql`first_currency`, sql`last_currency`]

/**
 * Of an event: its currency, '' without one, and its value if it is the goal, in the currency if one is
 * asked.
 */
function moneyOf(goal: string, currency?: string) {
  const value = propertyValue('value')
  const named = propertyValue('currency')
  const ofEvent = sql`coalesce(upper(${named.scalar}), '')`
  const isAdded =
    currency === undefined ? sql`event = ${goal}` : sql`event = ${goal} AND ${ofEvent} = ${currency}`
  const number = sql`CASE WHEN ${isAdded} THEN ${numberOf(value.scalar)} END`
  return { ofEvent, number, fields: ['event' as const, ...value.fields, ...named.fields] }
}

/** What a session has of the goal: the sum of its values, and their currencies. */
function goalSums(goal: string, currency: string | undefined): EventSum[] {
  const { ofEvent, number, fields } = moneyOf(goal, currency)
  const [millionths, others] = sumParts(number)
  const currencyOf = sql`CASE WHEN ${number} IS NOT NULL THEN ${ofEvent} END`
  return [
    { column: 'millionths', fields, value: millionths },
    { column: 'others', fields, value: others },
    { column: 'first_currency', fields, value: sql`min(${currencyOf})` },
    { column: 'last_currency', fields, value: sql`max(${currencyOf})` },
  ]
}

/** Rows by group and currency that a response has at most. */
const MAX_CURRENCY_ROWS = 1_000

/**
 * The sums of each currency, of all sessions and of the groups that have several currencies: (is_total,
 * group_value, currency, sum_value), the groups with the most values first.
 */
function currenciesSql(
  { read, params: { by }, project, context }: ReportRequest<SourcesParams>,
  goal: string,
): SqlQuery {
  const started = sessionsWithSources(read, ['entry_page'], ownSources(project, context))
  const { ofEvent, number, fields } = moneyOf(goal)
  const [millionths, others] = sumParts(number)
  const money = sumsOfSessions(read, {
    event: goal,
    by: { column: 'currency', fields, value: sql`CASE WHEN ${number} IS NOT NULL THEN ${ofEvent} END` },
    sums: [
      { column: 'millionths', fields, value: millionths },
      { column: 'others', fields, value: others },
      { column: 'value_count', fields, value: sql`count(*)` },
    ],
  })
  return sql`SELECT is_total, group_value, currency, sum_value
    FROM (SELECT *, count(*) OVER (PARTITION BY is_total, group_value) AS currencies,
        sum(value_count) OVER (PARTITION BY is_total, group_value) AS group_values
      FROM (SELECT grouping(group_value) AS is_total, group_value, currency, sum(value_count) AS value_count,
          ${sumOfParts([sql`sum(millionths)`, sql`sum(others)`])} AS sum_value
        FROM (SELECT session_key, ${GROUP_COLUMNS[by]} AS group_value FROM ${started} AS named_session) AS grouped_session
        JOIN (${money}) AS session_money ON sums_key = session_key
        GROUP BY GROUPING SETS ((group_value, currency), (currency))) AS currency_of_group) AS counted_currency
    WHERE currencies > 1 AND length(currency) <= ${integer(MAX_CURRENCY_CHARS)}
    ORDER BY is_total DESC, group_values DESC, group_value NULLS LAST, value_count DESC, currency
    LIMIT ${integer(MAX_CURRENCY_ROWS)}`
}

type CurrencySum = NonNullable<Body['total']['by_currency']>[number]

function groupKey({ is_total, group_value }: Row): string {
  return JSON.stringify([Number(is_total), group_value ?? null])
}

/** The sums of each group in the order of their currencies, those without one last. */
function sumsByGroup(rows: readonly Row[]): Map<string, CurrencySum[]> {
  const named = rows.filter(({ currency }) => currency !== '')
  const ordered = named.toSorted((a, b) => compareCodePoints(String(a.currency), String(b.currency)))
  const all = [...ordered, ...rows.filter(row => !named.includes(row))]
  return new Map(
    [...Map.groupBy(all, groupKey)].map(([key, of]) => [
      key,
      of.map(({ currency, sum_value }) => ({
        currency: currency === '' ? null : String(currency),
        sum_value: toSum(sum_value),
      })),
    ]),
  )
}

function byCurrency(
  sums: ReadonlyMap<string, CurrencySum[]>,
  row: Row,
): { by_currency?: CurrencySum[] | undefined } {
  const found = sums.get(groupKey(row))
  return found === undefined ? {} : { by_currency: found }
}

/** Whether the values of a row have several currencies; a value without one is not of a known one. */
function isMixed({ first_currency, last_currency }: Row): boolean {
  return (first_currency ?? null) !== (last_currency ?? null)
}

function toNumbers(row: Row, { goal }: SourcesParams): Body['total'] {
  const sessions = Number(row.sessions ?? 0)
  const bounces = Number(row.bounces ?? 0)
  const conversions = Number(row.conversions ?? 0)
  const hasSum = row.sum_value !== null && row.sum_value !== undefined && !isMixed(row)
  return {
    sessions,
    people: Number(row.people ?? 0),
    bounces,
    bounce_rate: ratio(bounces, sessions, 3),
    avg_duration: ratio(Number(row.duration ?? 0), sessions, 0),
    avg_pages: ratio(Number(row.page_views ?? 0), sessions, 1),
    ...(goal !== undefined && {
      conversions,
      conversion_rate: ratio(conversions, sessions, 3),
      sum_value: hasSum ? toSum(row.sum_value) : null,
      currency: hasSum && row.first_currency !== '' ? String(row.first_currency) : null,
    }),
  }
}

/** A sum may be beyond the largest double. */
function toSum(value: Row[string] | undefined): number | null {
  return Number.isFinite(Number(value)) ? Number(value) : null
}

function channelOf({ first_channel, last_channel }: Row): Channel | null {
  return first_channel === last_channel ? (first_channel as Channel) : null
}

/** What the rows that are not shown add up to. */
function restOf(total: Row, shown: readonly Row[], { goal }: SourcesParams) {
  const rest = (column: string) =>
    shown.reduce((sum, row) => sum - Number(row[column] ?? 0), Number(total[column] ?? 0))
  return {
    sessions: rest('sessions'),
    bounces: rest('bounces'),
    ...(goal !== undefined && { conversions: rest('conversions') }),
  }
}
