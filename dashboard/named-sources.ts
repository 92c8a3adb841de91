import type { Answer } from './api.ts'
import { channelName } from './channels.ts'
import { pathLabel, visible } from './texts.ts'
import type { Filter } from './url.ts'

/**
 * What GET /sources groups visits by. The service names them and leaves own pages out; a share link does not
 * read it.
 */

type Named = {
  title: string
  /** What a session without a value is called. */
  none: string
  label(value: string): string
  /** The field of POST /query with the same values. */
  group: string
  /** The filter that a row is about. */
  filter(value: string): Filter
}

const equal = (field: string) => (value: string) => ({ field, op: 'eq', value }) as const

export const NAMED_TABS = {
  channel: {
    title: 'Channel',
    none: 'Unknown',
    label: channelName,
    group: 'channel',
    filter: equal('channel'),
  },
  source: { title: 'Source', none: 'No source', label: visible, group: 'source', filter: equal('source') },
  landing_page: {
    title: 'Landing page',
    none: '(no page)',
    label: pathLabel,
    group: 'entry_page',
    filter: equal('entry_page'),
  },
  referrer: {
    title: 'Site',
    none: 'No other site',
    label: visible,
    group: 'referrer_host',
    // Of events: they have the whole address.
    filter: (value: string) => ({ field: 'properties.referrer', op: 'contains', value }) as const,
  },
  campaign: {
    title: 'Campaign',
    none: 'No campaign',
    label: visible,
    group: 'properties.utm_campaign',
    filter: equal('properties.utm_campaign'),
  },
} as const satisfies Record<string, Named>

export type NamedTab = keyof typeof NAMED_TABS
export type NamedRow = Answer<'GET /sources'>['rows'][number]

export function isNamed(tab: string): tab is NamedTab {
  return Object.hasOwn(NAMED_TABS, tab)
}

/** How many values there are, of an answer with some of them. */
export function totalOfSources({ rows, other }: Answer<'GET /sources'>): number {
  return rows.length + (other?.values ?? 0)
}
