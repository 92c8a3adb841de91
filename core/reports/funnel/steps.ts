import { ApiError } from '#core/errors'
import type { EventField } from '#core/lake/read/lake-read'
import type { SqlQuery } from '#core/ports'
import { parseValue, UnknownFieldError } from '#core/reports/conditions/parse-filter'
import { filterSql } from '#core/reports/sql/filters'
import { namedValue } from '#core/reports/sql/named-value'
import { join, sql } from '#core/sql/sql'
import { isJsonObject } from '#core/text/json-object'
import { CONDITION_OPS, type ConditionOp } from '#schemas/conditions'
import { MAX_STEPS } from '#schemas/funnel'
import {
  isTimeField,
  KEY_RULE,
  keyOf,
  oneSpelling,
  propertyInstead,
  textFieldOf,
  traitKey,
} from '#schemas/property-names'
import { MAX_FILTERS } from '#schemas/query'

/** A filter of a step: `key` is that of a property, or `country`. */
export type StepFilter = { key: string; condition: SqlQuery; fields: EventField[] }

/** A step of a funnel: which events match it, and the fields of `events` that this needs. */
export type FunnelStep = {
  event: string
  filters: readonly StepFilter[]
  matches: SqlQuery
  fields: EventField[]
}

export type StepsSource = 'request.steps' | 'project_context.activation_events'

const MAX_EVENT_CHARS = 256

/**
 * The steps of a request (docs/api/funnel.md). Throws INVALID_FUNNEL_STEPS, INVALID_PROPERTY_KEY,
 * INVALID_FILTER_OP or QUERY_FAILED.
 */
export function parseSteps(steps: readonly unknown[]): FunnelStep[] {
  if (steps.length < 2 || steps.length > MAX_STEPS) {
    throw new ApiError(
      'INVALID_FUNNEL_STEPS',
      `A funnel has 2 to ${MAX_STEPS} steps, and the request has ${steps.length}. Change \`steps\`.`,
    )
  }
  const filters = steps.reduce<number>((sum, step) => sum + countFilters(step), 0)
  if (filters > MAX_FILTERS) {
    throw new ApiError(
      'QUERY_FAILED',
      `A funnel has at most ${MAX_FILTERS} filters in all steps, and the request has ${filters}. Send fewer filters; \`in\` takes several values.`,
    )
  }
  return steps.map(parseStep)
}

function countFilters(step: unknown): number {
  return isJsonObject(step) && Array.isArray(step.filters) ? step.filters.length : 0
}

/** A step for each entry of `activation_events`: an event, or a view of a page (U151). */
export function stepsOfGoals(entries: readonly string[]): FunnelStep[] {
  return entries.map((entry, i) => {
    if (!entry.startsWith('/'))
      return { event: entry, filters: [], matches: sql`event = ${entry}`, fields: [] }
    const op = entry.includes('*') ? 'glob' : 'eq'
    return parseStep({ event: 'page_view', filters: [{ property: 'path', op, value: entry }] }, i)
  })
}

function parseStep(step: unknown, index: number): FunnelStep {
  const place = `steps[${index}]`
  if (!isJsonObject(step))
    throw new ApiError('INVALID_FUNNEL_STEPS', `Field \`${place}\` must be an object with an \`event\`.`)
  const { event, filters } = step
  if (typeof event !== 'string' || event === '' || event.length > MAX_EVENT_CHARS) {
    throw new ApiError(
      'INVALID_FUNNEL_STEPS',
      `Field \`${place}.event\` must be an event name of 1 to ${MAX_EVENT_CHARS} characters.`,
    )
  }
  if (filters !== undefined && filters !== null && !Array.isArray(filters)) {
    throw new ApiError('INVALID_FUNNEL_STEPS', `Field \`${place}.filters\` must be an array.`)
  }
  const parsed = (filters ?? []).map((filter: unknown, i: number) =>
    parseFilter(filter, `${place}.filters[${i}]`),
  )
  return {
    event,
    filters: parsed,
    matches: join([sql`event = ${event}`, ...parsed.map(({ condition }) => condition)], ' AND '),
    fields: parsed.flatMap(({ fields }) => fields),
  }
}

function parseFilter(filter: unknown, place: string): StepFilter {
  if (!isJsonObject(filter))
    throw new ApiError('INVALID_FUNNEL_STEPS', `Field \`${place}\` must be an object.`)
  const { op, value } = filter
  const key = nameOf(filter, place)
  if (!isOp(op)) {
    throw new ApiError(
      'INVALID_FILTER_OP',
      `Field \`${place}.op\` must be one of ${CONDITION_OPS.join(', ')}.`,
    )
  }
  const { fields, filterField } = namedValue(key)
  return { key, condition: sql`(${filterSql(filterField, op, stepValue(value, op, place))})`, fields }
}

/** The value of a filter. Throws INVALID_FUNNEL_STEPS. */
function stepValue(value: unknown, op: ConditionOp, place: string) {
  try {
    return parseValue(value, op, place, '')
  } catch (error) {
    if (error instanceof UnknownFieldError) throw new ApiError('INVALID_FUNNEL_STEPS', error.message)
    throw error
  }
}

function isOp(op: unknown): op is ConditionOp {
  return CONDITION_OPS.some(each => each === op)
}

/** The only field of the event, beside its name, that steps filter by. */
const FILTERED_FIELD = 'country'

/**
 * The name is in `property` or in `field` (D4): `country`, or a property with or without `properties.` (U90).
 */
function nameOf({ property, field }: Record<string, unknown>, place: string): string {
  const given = property ?? field
  const named = typeof given === 'string' ? oneSpelling(given) : ''
  if (traitKey(named) !== undefined) {
    throw new ApiError(
      'INVALID_PROPERTY_KEY',
      `Field \`${place}.property\` is about a person. Send \`traits.<key>\` in \`where\`.`,
    )
  }
  if (keyOf(named) === undefined) {
    throw new ApiError('INVALID_PROPERTY_KEY', `Field \`${place}.property\` must be a key of ${KEY_RULE}.`)
  }
  if (named !== FILTERED_FIELD && (textFieldOf(named) !== undefined || isTimeField(named))) {
    throw new ApiError('INVALID_PROPERTY_KEY', `Field \`${place}.property\`: ${propertyInstead(named)}`)
  }
  return named
}
