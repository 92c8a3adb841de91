import { ApiError } from '#core/errors'
import type { EventField } from '#core/lake/read/lake-read'
import type { SqlQuery } from '#core/ports'
import type { Zone } from '#core/reports/run/zone'
import { type FilterField, type FilterValue, filterSql, textField } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { integer, name, sql, timestamp, trustedSql, unixMs } from '#core/sql/sql'
import { quoted } from '#core/text/clean-text'
import { isJsonObject } from '#core/text/json-object'
import { DAY_MS, parseIsoTime } from '#core/time'
import { CONDITION_OPS, type ConditionOp, type Leaf } from '#schemas/conditions'
import { fieldOfKey, fieldOfTrait, prefixedKey, textFieldOf } from '#schemas/property-names'

/** A filter as SQL, and the fields of `events` that it reads. */
export type QueryFilter = { condition: SqlQuery; fields: EventField[] }

/**
 * A filter that names a field which the service does not know. The report adds the fields that it could name.
 */
export class UnknownFieldError extends Error {
  readonly suggestedField: string | null

  constructor(message: string, suggestedField: string | null) {
    super(message)
    this.name = 'UnknownFieldError'
    this.suggestedField = suggestedField
  }
}

const SYMBOLS = { eq: '=', neq: '<>', gt: '>', lt: '<', gte: '>=', lte: '<=' } as const

/** Longest unknown field whose property an error suggests. */
const MAX_SUGGESTED_CHARS = 128
/** Values of `in` and `not_in`. */
const MAX_VALUES = 50
/** Characters of a glob, and of its stars: each makes the engine try more. */
const [MAX_GLOB_CHARS, MAX_STARS] = [256, 8]

/** The local time of the column `timestamp`, for the date, hour and weekday of an event. */
export type LocalTime = Pick<Zone, 'localTimestamp'> & { range: { from: number; to: number } }

/**
 * Reads one filter of POST /query, or a leaf of a condition, if it is of the event alone. Throws
 * UnknownFieldError (INVALID_FILTER_FIELD), INVALID_FILTER_OP, INVALID_PROPERTY_KEY or INVALID_BODY.
 * `place`: the name of the filter in messages.
 */
export function parseFilter(filter: unknown, place: string, time: LocalTime): QueryFilter {
  const { field, op, value } = parseLeaf(filter, place)
  if (field === 'timestamp') return { condition: timestampCondition(op, value, place), fields: ['timestamp'] }
  const ofTime = TIMES[field as keyof typeof TIMES]
  if (Object.hasOwn(TIMES, field)) {
    const local = time.localTimestamp(time.range)
    return { condition: filterSql(ofTime(local), op, value), fields: ['timestamp'] }
  }
  const column = textFieldOf(field)
  if (column !== undefined)
    return { condition: filterSql(textField(name(column)), op, value), fields: [column] }
  const key = prefixedKey(field)
  if (key === undefined && /^properties[.[]/.test(field)) throw new ApiError('INVALID_PROPERTY_KEY')
  if (key === undefined) {
    const suggested = field.length <= MAX_SUGGESTED_CHARS ? fieldOfKey(field) : null
    throw new UnknownFieldError(
      `Field \`${place}.field\` is unknown. ${whatToSend(field, suggested)}`,
      suggested,
    )
  }
  const { fields, filterField } = propertyValue(key)
  return { condition: filterSql(filterField, op, value), fields }
}

/** A filter or leaf whose operator is one, and takes such a value. Throws as parseFilter does. */
export function parseLeaf(filter: unknown, place: string): Leaf & { value: FilterValue | FilterValue[] } {
  if (!isJsonObject(filter)) throw new UnknownFieldError(`Field \`${place}\` must be an object.`, null)
  const { field, op } = filter
  if (typeof field !== 'string' || field === '') {
    throw new UnknownFieldError(`Field \`${place}.field\` is missing. Name a field.`, null)
  }
  if (op === undefined || op === null) {
    throw new UnknownFieldError(
      `Field \`${place}.op\` is missing. Use one of ${CONDITION_OPS.join(', ')}.`,
      null,
    )
  }
  if (!isOp(op)) {
    throw new ApiError(
      'INVALID_FILTER_OP',
      `Field \`${place}.op\` must be one of ${CONDITION_OPS.join(', ')}.`,
    )
  }
  return { field, op, value: parseValue(filter.value, op, place, field) }
}

function whatToSend(field: string, suggested: string | null): string {
  if (suggested === null) return 'Use a built-in field or `properties.<key>`.'
  return `For ${quoted(field)} send \`${suggested}\` if it is a property of events, and in \`where\` \`${fieldOfTrait(field)}\` if it is a trait of people.`
}

/**
 * Fields that are computed from the time of an event in the zone: `weekday` is 0 on Sunday, as in /heatmap.
 */
const TIMES = {
  date: (local: SqlQuery) => textField(sql`CAST(CAST(${local} AS date) AS varchar)`),
  hour: (local: SqlQuery) => numberField(TIME_NUMBERS.hour(local)),
  weekday: (local: SqlQuery) => numberField(TIME_NUMBERS.weekday(local)),
} as const

/** The hour and the weekday of a local time. */
export const TIME_NUMBERS = {
  hour: (local: SqlQuery) => sql`(${unixMs(local)} / ${integer(HOUR_MS)}) % 24`,
  weekday: (local: SqlQuery) => sql`(${unixMs(local)} / ${integer(DAY_MS)} + ${integer(THURSDAY)}) % 7`,
} as const

const HOUR_MS = 3_600_000
/** The weekday of 1970-01-01. */
const THURSDAY = 4

/** The value is a number. */
export function numberField(number: SqlQuery): FilterField {
  const scalar = sql`CAST(${number} AS varchar)`
  return { scalar, isText: sql`false`, present: scalar }
}

/**
 * The value that an operator takes: a list for `in` and `not_in`, true or false for `exists`. Throws as
 * parseFilter does.
 */
export function parseValue(
  value: unknown,
  op: ConditionOp,
  place: string,
  field: string,
): FilterValue | FilterValue[] {
  if (op === 'exists') {
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? true
    throw new UnknownFieldError(
      `Field \`${place}.value\` must be true or false, or absent, with \`exists\`.`,
      null,
    )
  }
  if (op === 'in' || op === 'not_in') {
    if (Array.isArray(value) && value.length >= 1 && value.length <= MAX_VALUES && value.every(isValue))
      return value
    throw new UnknownFieldError(
      `Field \`${place}.value\` must be a list of 1 to ${MAX_VALUES} texts, numbers or booleans.`,
      null,
    )
  }
  if (!isValue(value)) {
    if (field === 'timestamp' && value !== undefined && value !== null) throw badTimestamp(place)
    throw new UnknownFieldError(`Field \`${place}.value\` must be a text, a number or a boolean.`, null)
  }
  if (
    op === 'glob' &&
    (String(value).length > MAX_GLOB_CHARS || String(value).split('*').length > MAX_STARS + 1)
  )
    throw new UnknownFieldError(
      `Field \`${place}.value\` must have at most ${MAX_GLOB_CHARS} characters and ${MAX_STARS} stars with \`glob\`.`,
      null,
    )
  return value
}

function isOp(op: unknown): op is ConditionOp {
  return (CONDITION_OPS as readonly unknown[]).includes(op)
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/**
 * The value is Unix ms, as a number or as text, or an ISO 8601 date-time. `contains` finds a part of the Unix
 * ms.
 */
function timestampCondition(op: ConditionOp, value: FilterValue | FilterValue[], place: string): SqlQuery {
  if (!Object.hasOwn(SYMBOLS, op)) return filterSql(numberField(unixMs(sql`timestamp`)), op, value)
  if (Array.isArray(value)) throw badTimestamp(place)
  const ms = toUnixMs(value)
  if (ms === null) throw badTimestamp(place)
  const symbol: SqlQuery = trustedSql(SYMBOLS[op as keyof typeof SYMBOLS])
  return sql`timestamp ${symbol} ${timestamp(ms)}`
}

function badTimestamp(place: string): ApiError {
  return new ApiError(
    'INVALID_BODY',
    `Field \`${place}.value\` must be Unix milliseconds or an ISO 8601 date-time such as \`2026-11-01T12:00:00Z\`.`,
  )
}

const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

function toUnixMs(value: FilterValue): number | null {
  if (typeof value === 'boolean') return null
  const ms = typeof value === 'number' || /^-?\d+$/.test(value) ? Number(value) : parseIso(value)
  return Number.isFinite(ms) && ms >= 0 && ms <= MAX_MS ? Math.floor(ms) : null
}

function parseIso(text: string): number {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) return Number.NaN
  return parseIsoTime(text)
}
