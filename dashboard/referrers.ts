import type { Answer } from './api.ts'

type Row = Answer<'POST /query'>['rows'][number]

/** Hosts of a site that are asked for: few sites have more. */
const HOSTS = 50

/**
 * What POST /query groups by to find what visits came from. A link groups by one property, so it asks for the
 * hosts of the site apart.
 */
export function referrerGroups(isShared: boolean): string[] {
  return ['properties.referrer', ...(isShared ? [] : ['properties.hostname'])]
}

/** The fields of the question for the hosts of the site. */
export const hostsOfSite = { group_by: ['properties.hostname'], limit: HOSTS }

/**
 * What a visit came from, of rows by referrer and host: without the pages of the site itself. `hosts`: rows
 * by host, where those by referrer have none.
 */
export function fromOutside(rows: readonly Row[], limit: number, hosts: readonly Row[] = []): Row[] {
  const own = new Set(hosts.map(hostOf))
  return rows
    .filter(row => row.other !== true && row['properties.referrer'] !== null && !isOwn(row, own))
    .slice(0, limit)
}

function isOwn(row: Row, own: ReadonlySet<string | null>): boolean {
  const referrer = String(row['properties.referrer'])
  if (!URL.canParse(referrer)) return false
  const from = bareHost(new URL(referrer).hostname)
  return from === hostOf(row) || own.has(from)
}

function hostOf(row: Row): string | null {
  const host = row['properties.hostname']
  return typeof host === 'string' ? bareHost(host) : null
}

function bareHost(host: string): string {
  return host.replace(/^www\./, '')
}

/** An address as people say it: `news.example.com/item`. */
export function shortAddress(text: string): string {
  if (text === '') return 'Direct'
  return text.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}
