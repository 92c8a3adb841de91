import { parseJson } from '#schemas/json-depth'
import { splitField } from '#schemas/property-names'
import { type CommandError, usage } from './errors.ts'

const OPERATORS = {
  '!=': 'neq',
  '>=': 'gte',
  '<=': 'lte',
  '^=': 'prefix',
  '$=': 'suffix',
  '=': 'eq',
  '>': 'gt',
  '<': 'lt',
  '~': 'contains',
} as const
const FILTER =
  /^([A-Za-z0-9_.]+|(?:properties|traits)\["(?:[^"\\]|\\.)*"\])(!=|>=|<=|\^=|\$=|=|>|<|~)([\s\S]*)$/

/**
 * Filters as people write them, `properties.path~pricing`, as query strings have them, `country:in:DE,AT`, or
 * as JSON, an object or a list of them. `name`: what the endpoint calls the field. Throws CommandError with
 * the forms.
 */
export function parsedFilters(texts: readonly string[], name: 'field' | 'property'): unknown[] {
  return texts.flatMap(text => (/^\s*[[{]/.test(text) ? jsonFilters(text) : [written(text, name)]))
}

function written(text: string, name: string): unknown {
  const [, field, operator, value] = FILTER.exec(text) ?? []
  if (field === undefined) return ofQueryString(text, name)
  return { [name]: field, op: OPERATORS[operator as keyof typeof OPERATORS], value }
}

/** `field:op:value` (docs/api/conditions.md, U78). The service checks the operator. */
function ofQueryString(text: string, name: string): unknown {
  const [field = '', operation = ''] = splitField(text) ?? []
  const [, op, value] = /^([a-z_]+)(?::([\s\S]*))?$/.exec(operation) ?? []
  if (field === '' || op === undefined) throw unreadable()
  if (field === 'segment' && op === 'eq') return { segment: value }
  if (op === 'exists') return { [name]: field, op, value: value !== 'false' }
  return { [name]: field, op, value: op === 'in' || op === 'not_in' ? value?.split(',') : value }
}

function jsonFilters(text: string): unknown[] {
  try {
    return [parseJson(text)].flat()
  } catch {
    throw unreadable()
  }
}

/**
 * The condition of `--where`, which is JSON, of each `--filter` and of each `--segment`: all must hold.
 * Undefined without any. Throws CommandError with the forms.
 */
export function conditionOf({
  where,
  filter = [],
  segment = [],
}: {
  where?: unknown
  filter?: unknown
  segment?: unknown
}): string | undefined {
  const filters = parsedFilters(filter as string[], 'field')
  const segments = (segment as string[]).map(name => ({ segment: name }))
  const all = [...(where === undefined ? [] : jsonFilters(String(where))), ...filters, ...segments]
  if (all.length === 0) return undefined
  return JSON.stringify(all.length === 1 ? all[0] : { and: all })
}

function unreadable(): CommandError {
  return usage(
    'A filter cannot be read.',
    "Write it as event=signup, 'properties.value>=10' or properties.path~pricing, as country:in:DE,AT, or as JSON with field, op and value. --where takes and, or, not, session, person, did and segment too.",
  )
}
