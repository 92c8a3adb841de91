import { channelName } from '#dashboard/channels'
import { countryName } from '#dashboard/format'
import { eventLabel, fieldLabel, pathLabel, visible } from '#dashboard/texts'
import type { Filter, FilterOp } from '#dashboard/url'

/** Filters in plain words. */

export const OP_NAMES: Record<FilterOp, string> = {
  eq: 'is',
  neq: 'is not',
  contains: 'contains',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}

/** Fields whose values have names. */
const NAMES_OF: Readonly<Record<string, (value: string) => string>> = {
  country: countryName,
  channel: channelName,
  event: eventLabel,
  entry_page: pathLabel,
  'properties.path': pathLabel,
}

/** What people call a segment: its title, else its name. */
export type SegmentTitles = readonly { name: string; title: string | null }[]

export function segmentTitle(name: string, segments: SegmentTitles): string {
  return visible(segments.find(each => each.name === name)?.title ?? name)
}

/**
 * A filter in words: `Country is Germany`, `Visitors who did Purchase`, `Sessions with an event where Path is
 * /pricing`.
 */
export function filterWords({ field, op, value, of }: Filter, segments: SegmentTitles = []): string {
  if (field === 'did') return `Visitors who ${op === 'neq' ? 'did not do' : 'did'} ${eventLabel(value)}`
  if (field === 'segment')
    return `${op === 'neq' ? 'Not in the segment' : 'Segment'} ${segmentTitle(value, segments)}`
  const who = of === 'session' ? 'Sessions' : of === 'person' ? 'Visitors' : null
  if (who !== null && field === 'event' && op === 'eq') return `${who} with ${eventLabel(value)}`
  const shown = value === '' ? '(empty)' : (NAMES_OF[field] ?? visible)(value)
  const words = `${fieldLabel(field)} ${OP_NAMES[op]} ${shown}`
  return who === null ? words : `${who} with an event where ${words}`
}
