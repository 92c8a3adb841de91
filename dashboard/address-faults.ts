import {
  AUDIENCES,
  COMPARISONS,
  isDate,
  isZone,
  MAX_FILTERS,
  RANGE_LABELS,
  readComparison,
  readFilter,
} from './url.ts'

/** Characters of an address that a sentence repeats. */
const MAX_SHOWN = 60

/**
 * What `parseAddress` leaves out of an address because it breaks a rule, as sentences for a reader: else the
 * numbers would be of something else than the link says.
 */
export function faultsOf(query: URLSearchParams): string[] {
  const filters = query.getAll('f')
  const broken = filters.filter(text => readFilter(text).length === 0)
  const known = filters.length - broken.length
  return [
    ...broken.map(text => `The filter ${quoted(text)} is not one: it is left out. Add it with “+ Filter”.`),
    ...(known > MAX_FILTERS ? [`Only the first ${MAX_FILTERS} of ${known} filters hold.`] : []),
    ...rangeFaults(query),
    ...unknown(query, 'range', RANGE_LABELS, 'The range', 'These are the last 30 days.'),
    ...comparisonFaults(query),
    ...unknown(query, 'who', AUDIENCES, 'The audience', 'These are numbers of people.'),
    ...zoneFaults(query.get('tz')),
  ]
}

function rangeFaults(query: URLSearchParams): string[] {
  const [from, to] = [query.get('from'), query.get('to')]
  if (from === null && to === null) return []
  if (from === null || to === null) return ['The address has one date of two: choose both above.']
  const wrong = [from, to].find(text => !isDate(text))
  if (wrong !== undefined) return [`${quoted(wrong)} is no date: choose the dates above.`]
  return from > to ? ['The first date of the address is after the last one: choose the dates above.'] : []
}

function comparisonFaults(query: URLSearchParams): string[] {
  return readComparison(query.get('compare')) !== undefined
    ? []
    : unknown(query, 'compare', COMPARISONS, 'The comparison', 'The period before stands beside the numbers.')
}

function zoneFaults(zone: string | null): string[] {
  return zone === null || isZone(zone)
    ? []
    : [`This browser knows no time zone ${quoted(zone)}. The dates are those of the zone above.`]
}

function unknown(
  query: URLSearchParams,
  name: string,
  values: readonly string[],
  title: string,
  instead: string,
): string[] {
  const text = query.get(name)
  return text === null || values.includes(text) ? [] : [`${title} ${quoted(text)} is unknown. ${instead}`]
}

function quoted(text: string): string {
  return `“${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}”`
}
