import type { Answer } from './api.ts'
import { pathLabel } from './texts.ts'

type Row = Answer<'POST /query'>['rows'][number]

/** Hosts of a site that are asked for: few sites have more. */
const HOSTS = 50

/**
 * Referrers of a share link, which are asked for before the pages of the site itself are left out: as many as
 * a read lists. Other readers ask GET /sources, which leaves them out itself.
 */
export const MAX_REFERRERS = 1_000

/** The fields of the question for the hosts of the site. A link groups by one property, so it asks apart. */
export const hostsOfSite = { group_by: ['properties.hostname'], limit: HOSTS }

/** Rows by referrer without the pages of the site itself. `hosts`: rows by host of the site. */
export function fromOutside(rows: readonly Row[], limit: number, hosts: readonly Row[] = []): Row[] {
  const own = new Set(hosts.map(hostOf))
  return rows.filter(row => row.other !== true && !isOwn(row['properties.referrer'], own)).slice(0, limit)
}

function isOwn(referrer: unknown, own: ReadonlySet<string | null>): boolean {
  if (typeof referrer !== 'string') return true
  return URL.canParse(referrer) && own.has(bareHost(new URL(referrer).hostname))
}

function hostOf(row: Row): string | null {
  const host = row['properties.hostname']
  return typeof host === 'string' ? bareHost(host) : null
}

function bareHost(host: string): string {
  return host.replace(/^www\./, '')
}

/**
 * An address as people say it: `news.example.com/item`. Without one it is not direct: a campaign may have
 * brought it.
 */
export function shortAddress(text: string): string {
  if (text === '') return 'No other site'
  return pathLabel(text.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, ''))
}
