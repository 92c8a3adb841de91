import type { z } from 'zod'
import { eventRefs, joinSets } from '#core/lake/read/chosen'
import type { EventField } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import { PAGE } from '#core/lake/read/session-rule'
import type { Row, SqlQuery } from '#core/ports'
import { bit, integer, join, sql } from '#core/sql/sql'
import { namesOf } from '#schemas/compare'
import {
  CONVERSION_SESSION_FIELDS,
  conversionOfPeriod,
  type conversionQuery,
  type conversionResponse,
} from '#schemas/conversion'
import { propertyOf, traitKey } from '#schemas/property-names'
import { type JoinedValue, joinedValue } from './conditions/joined-value.ts'
import { noteMissing } from './run/mostly-missing.ts'
import { ratio } from './run/rounding.ts'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from './run/run.ts'
import { warnOfMissingTrait } from './run/warn-of-lost-links.ts'
import { ownSources } from './sources/own-sources.ts'
import { EVENT_POSITION } from './sql/event-position.ts'
import { namedValue } from './sql/named-value.ts'

export type ConversionParams = Omit<z.output<typeof conversionQuery>, 'project'>
type ConversionBody = z.input<typeof conversionResponse>

/**
 * GET /conversion: the part of users who did something, by a value of their first event. The rules are those
 * of a funnel of two steps without a window: an event serves one step, and a user counts once. One scan
 * groups the events by user, a second level groups the users by value.
 */
export const conversion = defineReport<ConversionParams, ConversionBody>({
  range: sinceDays(30, { takesTimes: true }),
  unit: () => 'person',
  groups: ({ by }) => [by],
  compared: { fields: namesOf(conversionOfPeriod) },
  sql: groupsSql,
  shape(rows, request) {
    const { params, project } = request
    const counts = rows.map(toCounts)
    const all = counts.find(({ key }) => key === null) ?? NOBODY
    const missing = counts.find(({ key }) => key === MISSING)
    const values = counts
      .filter(({ key, users }) => key !== null && key !== MISSING && users >= params.min_users)
      .slice(0, params.limit)
    if (missing !== undefined && missing.users === all.users) warnOfMissingTrait(params.by, request.notes)
    const instead = insteadOf(params.by)
    if (missing !== undefined && instead !== null)
      noteMissing(request.notes, {
        ...{ by: params.by, instead, all: all.users, missing: missing.users },
        have: Number(rows.find(({ group_key }) => group_key === MISSING)?.with_instead),
      })
    const other = subtract(all, missing === undefined ? values : [...values, missing])
    return {
      project: project.name,
      goal: params.goal,
      from: params.from ?? null,
      by: params.by,
      period: toPeriod(request),
      ...withRate(all),
      values: values.map(count => ({ value: String(count.key).slice(PRESENT.length), ...withRate(count) })),
      ...(other.users > 0 && { other: withRate(other) }),
      ...(missing !== undefined && { missing: withRate(missing) }),
    }
  },
  namesOfEmpty: ({ goal, from, by }, { converted, users, missing }) => {
    const isMissing = missing !== undefined && missing.users === users
    if (converted > 0 && !isMissing) return null
    return { events: converted === 0 ? [goal, from] : [], properties: isMissing ? [keyOf(by)] : [] }
  },
})

/** `key`: PRESENT and the value, MISSING, or null for all users. */
type Counts = { key: string | null; users: number; converted: number }

const PRESENT = '='
const MISSING = '-'
const NOBODY: Counts = { key: null, users: 0, converted: 0 }

/**
 * (group_key, users, converted, with_instead): first the totals of all users, then those without a value,
 * then the largest groups.
 */
function groupsSql(request: ReportRequest<ConversionParams>): SqlQuery {
  const { read, params } = request
  const { goal, from, by, limit } = params
  const { fields, text: value, sets } = groupValue(by, request)
  const instead = insteadOf(by)
  const other = instead === null ? null : namedValue(instead)
  const hasInstead =
    other === null ? sql`0` : sql`CASE WHEN nullif(${other.text}, '') IS NULL THEN 0 ELSE 1 END`
  const isStart = from === undefined ? sql`true` : sql`event = ${from}`
  const isConverted =
    from === undefined
      ? sql`count(CASE WHEN event = ${goal} THEN 1 END) > 0`
      : sql`max(CASE WHEN event = ${goal} THEN ${EVENT_POSITION} END) > min(CASE WHEN ${isStart} THEN ${EVENT_POSITION} END)`
  const readFields = new Set<EventField>([
    'event',
    'user_id',
    'timestamp',
    'lag_s',
    'seq',
    ...fields,
    ...(other?.fields ?? []),
  ])
  const where = from === undefined ? sql`` : sql` AND event IN (${join([sql`${from}`, sql`${goal}`], ', ')})`
  // The key of a user is never null, because DuckDB's min_by passes over nulls and Trino's does not.
  return sql`SELECT group_key, users, converted, with_instead, place
    FROM (SELECT group_key, users, converted, with_instead,
        row_number() OVER (ORDER BY CASE WHEN group_key IS NULL THEN 0 WHEN group_key = ${MISSING} THEN 1 ELSE 2 END,
          users DESC, group_key) AS place
      FROM (SELECT group_key, count(*) AS users, CAST(coalesce(sum(is_converted), 0) AS bigint) AS converted,
          CAST(coalesce(sum(has_instead), 0) AS bigint) AS with_instead
        FROM (SELECT user_id, ${bit(isConverted)} AS is_converted,
            min_by(CASE WHEN ${isStart} THEN coalesce(${PRESENT} || ${value}, ${MISSING}) END,
              CASE WHEN ${isStart} THEN ${EVENT_POSITION} END) AS group_key,
            min_by(CASE WHEN ${isStart} THEN ${hasInstead} END, CASE WHEN ${isStart} THEN ${EVENT_POSITION} END) AS has_instead
          FROM ${events(read, [...readFields])} AS each_event${joinSets(sets, eventRefs)}
          WHERE user_id IS NOT NULL${where} GROUP BY user_id) AS each_user
        WHERE group_key IS NOT NULL GROUP BY GROUPING SETS ((group_key), ())) AS user_group) AS ranked_group
    WHERE place <= ${integer(limit + 2)}
    ORDER BY place`
}

/**
 * The value of an event, null without one, and what it needs of the session and the user.
 */
function groupValue(
  by: string,
  { read, project, context }: Pick<ReportRequest<ConversionParams>, 'read' | 'project' | 'context'>,
): JoinedValue {
  if (by === 'entry_page') return { fields: ['path', 'url'], text: PAGE, sets: [] }
  const own = ownSources(project, context)
  return joinedValue(PROPERTY_OF.get(by) ?? by, { read, own, ofSession: CONVERSION_SESSION_FIELDS })
}

/** The property key of a group; undefined for what is no single property. */
function keyOf(by: string): string | undefined {
  const isJoined = traitKey(by) !== undefined || CONVERSION_SESSION_FIELDS.some(each => each === by)
  return isJoined || by === 'entry_page' ? undefined : propertyOf(PROPERTY_OF.get(by) ?? by)
}

/** What most visits without such a parameter in their address have; null for other fields. */
function insteadOf(by: string): string | null {
  const property = keyOf(by)
  return property !== undefined && /^(first_)?utm_/.test(property) ? 'referrer' : null
}

const PROPERTY_OF = new Map([
  ['source', 'utm_source'],
  ['first_source', 'first_utm_source'],
])

function toCounts({ group_key, users, converted }: Row): Counts {
  return { key: group_key as string | null, users: Number(users), converted: Number(converted) }
}

function subtract(all: Counts, parts: readonly Counts[]): Counts {
  return {
    key: null,
    users: parts.reduce((rest, { users }) => rest - users, all.users),
    converted: parts.reduce((rest, { converted }) => rest - converted, all.converted),
  }
}

export function withRate({ users, converted }: Pick<Counts, 'users' | 'converted'>) {
  return { users, converted, rate: ratio(converted, users, 3) }
}
