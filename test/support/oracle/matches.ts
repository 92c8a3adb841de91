import { byCodePoint, localTime } from './common.ts'
import { keyNamed } from './properties.ts'
import type { SentEvent } from './sent-event.ts'

export function readsAsNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'string' || value.trim() !== value || value === '') return false
  try {
    const number: unknown = JSON.parse(value)
    return typeof number === 'number' && Number.isFinite(number)
  } catch {
    return false
  }
}

type Value = string | number | boolean

/** U10, U31, U32, U79. `actual` is what the event holds. */
export function matches(actual: unknown, op: string, value: Value | readonly Value[]): boolean {
  if (op === 'exists') return (actual !== null && actual !== undefined) === value
  if (op === 'in') return (value as Value[]).some(each => matches(actual, 'eq', each))
  if (op === 'not_in') return (value as Value[]).every(each => matches(actual, 'neq', each))
  if (actual === null || actual === undefined || typeof actual === 'object') return false
  const [text, wanted] = [String(actual), String(value)]
  if (op === 'suffix') return text.endsWith(wanted)
  if (op === 'glob') return isLike(text, wanted)
  if (op === 'contains') return text.toLowerCase().includes(wanted.toLowerCase())
  if (op === 'prefix') return text.startsWith(wanted)
  const bothRead = readsAsNumber(actual) && readsAsNumber(value)
  if (op === 'eq' || op === 'neq') {
    const oneIsNumber = typeof actual === 'number' || typeof value === 'number'
    const equal = oneIsNumber && bothRead ? Number(actual) === Number(value) : text === wanted
    return (op === 'eq') === equal
  }
  const order = bothRead ? Number(actual) - Number(value) : byCodePoint(text, wanted)
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[op] ?? false
}

/** Whether a text has the form of a glob: `*` is any text without a slash, `**` any text. */
function isLike(text: string, glob: string): boolean {
  if (glob === '') return text === ''
  if (glob.startsWith('**')) {
    const rest = glob.replace(/^\*+/, '')
    return Array.from({ length: text.length + 1 }, (_, i) => i).some(i => isLike(text.slice(i), rest))
  }
  if (glob.startsWith('*')) {
    const slash = text.indexOf('/')
    const most = slash === -1 ? text.length : slash
    return Array.from({ length: most + 1 }, (_, i) => i).some(i => isLike(text.slice(i), glob.slice(1)))
  }
  return text[0] === glob[0] && text !== '' && isLike(text.slice(1), glob.slice(1))
}

export function fieldOf(event: SentEvent, field: string, tz: string): unknown {
  if (field === 'hour' || field === 'weekday') return localTime(event.timestamp, tz)[field]
  if (field === 'date') return localTime(event.timestamp, tz).date
  if (field === 'timestamp') return event.timestamp
  if (/^properties[.[]/.test(field)) {
    const key = keyNamed(field)
    return event.properties !== null && Object.hasOwn(event.properties, key) ? event.properties[key] : null
  }
  return event[field as 'event']
}
