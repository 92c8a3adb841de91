import { oneField, prefixedKey, splitField, TEXT_FIELDS } from '#schemas/property-names'

/**
 * The address of the dashboard is the whole state of what it shows: a reload, a new tab and a shared link
 * give the same picture. This file reads and writes it, and nothing else keeps such state.
 */

/** `demo`: the demo project, which everybody may see. `share`: what a share link shows of one project. */
export type Area = 'account' | 'demo' | 'share'

export type Range = { label: RangeLabel } | DatePair

/** `7d`: the 7 dates that end today. */
export const DAY_LABELS = ['1d', '7d', '14d', '30d', '90d', '365d'] as const
/** Ranges of the calendar; `this_month` ends today. */
export const CALENDAR_LABELS = ['yesterday', 'this_month', 'last_month'] as const
export const RANGE_LABELS = [...DAY_LABELS, ...CALENDAR_LABELS] as const
export type RangeLabel = (typeof RANGE_LABELS)[number]

/** A first and a last date, both inclusive. */
export type DatePair = { from: string; to: string }

/**
 * What the numbers are compared with: the period of equal length before, the last period before that begins
 * on the same weekday, the same dates a year ago, or nothing.
 */
export const COMPARISONS = ['previous', 'weekdays', 'year', 'none'] as const
/** Dates stand for a range of the reader's own. */
export type Comparison = (typeof COMPARISONS)[number] | DatePair

/** Whose requests: people, programs of AI providers, or all other automated senders. */
export const AUDIENCES = ['people', 'agents', 'bots'] as const
export type Audience = (typeof AUDIENCES)[number]

export const FILTER_OPS = ['eq', 'neq', 'contains', 'gt', 'gte', 'lt', 'lte'] as const
export type FilterOp = (typeof FILTER_OPS)[number]

/** Whose events a filter looks at, beside the event itself: all of its session, or all of its person. */
export const FILTER_SETS = ['session', 'person'] as const
export type FilterSet = (typeof FILTER_SETS)[number]

/**
 * What a filter may name that is no field: an event that people did, and a stored condition of the project.
 */
export const NAMED_CONDITIONS = ['did', 'segment'] as const

/**
 * `field` as POST /query names it: `country`, `properties.path`, or `properties["a.b"]`; or one of
 * NAMED_CONDITIONS, which has no other `op` than `eq` and `neq`. `of`: some event of the session, or of the
 * person, must be so.
 */
export type Filter = { field: string; op: FilterOp; value: string; of?: FilterSet }

export type Address = {
  area: Area
  /** What opens the area `share`; absent in the others. */
  secret?: string
  /** Null: all sites, or the account. Always null in the demo and in `share`, which have one project. */
  project: string | null
  /** A name of dashboard/views/. */
  view: string
  range: Range
  comparison: Comparison
  /** IANA time zone; null: the one of the project, else the one of the reader. */
  tz: string | null
  audience: Audience
  /** All must hold. A field may have several. */
  filters: readonly Filter[]
  /** What only this view knows, such as the steps of a funnel. A name may have several values. */
  own: Readonly<Record<string, readonly string[]>>
}

export const DEFAULTS = {
  range: { label: '30d' } as Range,
  comparison: 'previous' as Comparison,
  tz: null,
  audience: 'people',
  filters: [] as readonly Filter[],
  own: {} as Address['own'],
} as const

/** Filters that an address may have, and characters of one. The service takes 100. */
export const MAX_FILTERS = 20
const MAX_VALUE_CHARS = 500
/** Names and values of one view. */
const MAX_OWN = 60

const SHARED = new Set(['range', 'from', 'to', 'compare', 'tz', 'who', 'f', 'project'])
const DATE = /^\d{4}-\d{2}-\d{2}$/
/** Fields of sessions that a filter may have: conditions know them, and the filters of POST /query do not. */
export const SESSION_FIELDS = ['channel', 'source', 'entry_page']
const FIELDS = [...TEXT_FIELDS, ...SESSION_FIELDS]
/** As the service has it (docs/api/segments.md). */
export const SEGMENT_NAME = /^[A-Za-z0-9._-]{1,64}$/
const OWN_NAME = /^[a-z][a-z0-9_]{0,30}$/
const ZONE = /^[A-Za-z][\w+/-]{0,63}$/

/**
 * Reads an address. What it does not know, or what breaks a rule, has its default: an old link must still
 * show something. `faultsOf` says what that was (address-faults.ts).
 */
export function parseAddress(url: Pick<URL, 'pathname' | 'searchParams'>): Address {
  const [, root, ...rest] = url.pathname.split('/')
  const parts = rest.filter(Boolean).map(decoded)
  const query = url.searchParams
  const [secret, view = 'overview'] = parts
  const place =
    root === 'share' && secret !== undefined
      ? { area: 'share' as const, secret, project: null, view }
      : placeOf(parts, query.get('project'))
  return { ...place, ...stateOf(query) }
}

function placeOf(parts: readonly string[], named: string | null): Pick<Address, 'area' | 'project' | 'view'> {
  const [first, second, third] = parts
  if (first === 'demo') return { area: 'demo', project: null, view: second ?? 'overview' }
  if (first === 'p' && second !== undefined)
    return { area: 'account', project: second, view: third ?? 'overview' }
  if (first === undefined && named) return { area: 'account', project: named, view: 'overview' }
  return { area: 'account', project: null, view: first ?? 'sites' }
}

function stateOf(query: URLSearchParams): Omit<Address, 'area' | 'secret' | 'project' | 'view'> {
  const tz = query.get('tz')
  return {
    range: rangeOf(query),
    comparison: readComparison(query.get('compare')) ?? DEFAULTS.comparison,
    tz: tz !== null && isZone(tz) ? tz : null,
    audience: oneOf(AUDIENCES, query.get('who')) ?? DEFAULTS.audience,
    filters: query.getAll('f').flatMap(readFilter).slice(0, MAX_FILTERS),
    own: ownOf(query),
  }
}

function rangeOf(query: URLSearchParams): Range {
  const dates = pairOf(query.get('from'), query.get('to'))
  if (dates !== undefined) return dates
  const label = oneOf(RANGE_LABELS, query.get('range'))
  return label === undefined ? DEFAULTS.range : { label }
}

/** The comparison that a text means: a word, or `<first date>..<last date>`; undefined for another text. */
export function readComparison(text: string | null): Comparison | undefined {
  const [from = null, to = null, ...rest] = text?.split('..') ?? []
  return oneOf(COMPARISONS, text) ?? (rest.length === 0 ? pairOf(from, to) : undefined)
}

/** How an address and a read write dates to compare with. */
export function printDates({ from, to }: DatePair): string {
  return `${from}..${to}`
}

function pairOf(from: string | null, to: string | null): DatePair | undefined {
  const areDates = from !== null && to !== null && isDate(from) && isDate(to)
  return areDates && from <= to ? { from, to } : undefined
}

/**
 * The filter that a text means, alone in a list; an empty list for another text: `country:eq:DE`,
 * `session.country:eq:DE`, `did:neq:purchase`.
 */
export function readFilter(text: string): Filter[] {
  const [, set = null, rest = ''] = /^(?:(session|person)\.)?([\s\S]*)$/.exec(text) ?? []
  const of = oneOf(FILTER_SETS, set)
  const [field = '', operation = ''] = splitField(rest) ?? []
  const [, op = null, value = ''] = /^([^:]*):([\s\S]*)$/.exec(operation) ?? []
  const known = oneOf(FILTER_OPS, op)
  if (known === undefined || value.length > MAX_VALUE_CHARS) return []
  if (isNamedCondition(field)) {
    const isName = field === 'did' ? value !== '' : SEGMENT_NAME.test(value)
    return of === undefined && ['eq', 'neq'].includes(known) && isName ? [{ field, op: known, value }] : []
  }
  // An empty text is a value too, such as the referrer of a visit that came from nowhere.
  const isField = FIELDS.includes(field) || prefixedKey(field) !== undefined
  if (!isField) return []
  return [{ field: oneField(field), op: known, value, ...(of !== undefined && { of }) }]
}

/** A filter as an address has it. */
export function printFilter({ field, op, value, of }: Filter): string {
  return `${of === undefined ? '' : `${of}.`}${field}:${op}:${value}`
}

/** Whether what a filter names is no field. */
export function isNamedCondition(field: string): boolean {
  return NAMED_CONDITIONS.some(each => each === field)
}

function ownOf(query: URLSearchParams): Address['own'] {
  // A map, because a name may be that of a method of every object.
  const own = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of query) {
    if (SHARED.has(name) || !OWN_NAME.test(name) || count >= MAX_OWN) continue
    count += 1
    own.set(name, [...(own.get(name) ?? []), value])
  }
  return Object.fromEntries(own)
}

/** Writes an address, without what is the default. `parseAddress` reads the same from it. */
export function printAddress(address: Address): string {
  const { range, comparison, tz, audience, filters, own } = address
  const query = new URLSearchParams()
  if ('from' in range) {
    query.append('from', range.from)
    query.append('to', range.to)
  } else if (!('label' in DEFAULTS.range) || range.label !== DEFAULTS.range.label) {
    query.append('range', range.label)
  }
  if (comparison !== DEFAULTS.comparison)
    query.append('compare', typeof comparison === 'string' ? comparison : printDates(comparison))
  if (tz !== null) query.append('tz', tz)
  if (audience !== DEFAULTS.audience) query.append('who', audience)
  for (const filter of filters) query.append('f', printFilter(filter))
  for (const [name, values] of Object.entries(own)) for (const value of values) query.append(name, value)
  const text = query.toString()
  return `${pathOf(address)}${text === '' ? '' : `?${text}`}`
}

function pathOf({ area, secret = '', project, view }: Address): string {
  if (area === 'share')
    return view === 'overview' ? `/share/${secret}` : `/share/${secret}/${encodeURIComponent(view)}`
  if (area === 'demo') return view === 'overview' ? '/app/demo' : `/app/demo/${encodeURIComponent(view)}`
  if (project === null) return view === 'sites' ? '/app' : `/app/${encodeURIComponent(view)}`
  const base = `/app/p/${encodeURIComponent(project)}`
  return view === 'overview' ? base : `${base}/${encodeURIComponent(view)}`
}

/** The value of a name that only this view knows; undefined without one. */
export function ownValue(address: Pick<Address, 'own'>, name: string): string | undefined {
  return Object.hasOwn(address.own, name) ? address.own[name]?.[0] : undefined
}

/** The same address with other values of the view. An empty list takes the name away. */
export function withOwn<A extends Address>(address: A, changes: Record<string, readonly string[]>): A {
  const own = Object.entries({ ...address.own, ...changes }).filter(([, values]) => values.length > 0)
  return { ...address, own: Object.fromEntries(own) }
}

/** The same address with one more filter; the same filter again changes nothing. */
export function withFilter<A extends Address>(address: A, filter: Filter): A {
  const isKnown = address.filters.some(each => printFilter(each) === printFilter(filter))
  return isKnown ? address : { ...address, filters: [...address.filters, filter].slice(-MAX_FILTERS) }
}

/** Whether a text is a date of the calendar. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const time = Date.parse(`${text}T00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Whether this browser knows the IANA time zone. */
export function isZone(text: string): boolean {
  if (!ZONE.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }) !== null
  } catch {
    return false
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function oneOf<T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find(value => value === text)
}
