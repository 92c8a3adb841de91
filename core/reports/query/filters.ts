import { ApiError } from '#core/errors'
import type { EventField } from '#core/lake/read/lake-read'
import type { SqlQuery } from '#core/ports'
import type { Zone } from '#core/reports/run/zone'
import { type FilterOp, type FilterValue, filterSql, textField } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { name, sql, timestamp } from '#core/sql/sql'
import { isJsonObject } from '#core/text/json-object'
import { parseIsoTime } from '#core/time'
import { PROPERTY_KEY, textFieldOf } from '#schemas/property-names'
import { FILTER_OPS } from '#schemas/query'

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

/**
 * Reads one filter of POST /query. Throws UnknownFieldError (INVALID_FILTER_FIELD), INVALID_FILTER_OP,
 * INVALID_PROPERTY_KEY or INVALID_BODY. `localDate`: the date of an event in the zone of the request.
 */
export function parseFilter(filter: unknown, index: number, localDate: SqlQuery): QueryFilter {
  const place = `filters[${index}]`
  if (!isJsonObject(filter)) throw new UnknownFieldError(`Field \`${place}\` must be an object.`, null)
  const { field, op, value } = filter
  if (typeof field !== 'string' || field === '') {
    throw new UnknownFieldError(`Field \`${place}.field\` is missing. Name a field.`, null)
  }
  if (op === undefined || op === null) {
    throw new UnknownFieldError(
      `Field \`${place}.op\` is missing. Use one of ${FILTER_OPS.join(', ')}.`,
      null,
    )
  }
  if (!isOp(op)) {
    throw new ApiError('INVALID_FILTER_OP', `Field \`${place}.op\` must be one of ${FILTER_OPS.join(', ')}.`)
  }
  if (!isValue(value)) {
    if (field === 'timestamp' && value !== undefined && value !== null) throw badTimestamp(place)
    throw new UnknownFieldError(`Field \`${place}.value\` must be a text, a number or a boolean.`, null)
  }
  if (field === 'timestamp') return { condition: timestampCondition(op, value, place), fields: ['timestamp'] }
  if (field === 'date')
    return { condition: filterSql(textField(localDate), op, value), fields: ['timestamp'] }
  const column = textFieldOf(field)
  if (column !== undefined)
    return { condition: filterSql(textField(name(column)), op, value), fields: [column] }
  if (!field.startsWith('properties.')) {
    const suggestion = PROPERTY_KEY.test(field) ? `properties.${field}` : null
    throw new UnknownFieldError(
      `Field \`${place}.field\` is unknown. Use a built-in field or \`properties.<key>\`.`,
      suggestion,
    )
  }
  const key = field.slice('properties.'.length)
  if (!PROPERTY_KEY.test(key)) throw new ApiError('INVALID_PROPERTY_KEY')
  const { fields, filterField } = propertyValue(key)
  return { condition: filterSql(filterField, op, value), fields }
}

function isOp(op: unknown): op is (typeof FILTER_OPS)[number] {
  return (FILTER_OPS as readonly unknown[]).includes(op)
}

function isValue(value: unknown): value is FilterValue {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/**
 * The value is Unix ms, as a number or as text, or an ISO 8601 date-time. `contains` finds a part of the Unix
 * ms.
 */
function timestampCondition(op: FilterOp, value: FilterValue, place: string): SqlQuery {
  const unixMs = sql`date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', timestamp)`
  if (op === 'contains') return sql`strpos(CAST(${unixMs} AS varchar), ${String(value)}) > 0`
  const ms = toUnixMs(value)
  if (ms === null) throw badTimestamp(place)
  const symbol: SqlQuery = { text: SYMBOLS[op as keyof typeof SYMBOLS], params: [] }
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

/** The local date of `timestamp` as text. */
export function localDateText(zone: Zone, range: { from: number; to: number }): SqlQuery {
  return sql`CAST(CAST(${zone.localTimestamp(range)} AS date) AS varchar)`
}
