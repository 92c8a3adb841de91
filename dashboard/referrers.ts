import type { Answer } from './api.ts'

type Row = Answer<'POST /query'>['rows'][number]

/** What a visit came from, of rows by referrer and host: without the pages of the site itself. */
export function fromOutside(rows: readonly Row[], limit: number): Row[] {
  return rows.filter(row => row['properties.referrer'] !== null && !isOwn(row)).slice(0, limit)
}

function isOwn(row: Row): boolean {
  const referrer = String(row['properties.referrer'])
  const host = row['properties.hostname']
  if (!URL.canParse(referrer) || typeof host !== 'string') return false
  return bareHost(new URL(referrer).hostname) === bareHost(host)
}

function bareHost(host: string): string {
  return host.replace(/^www\./, '')
}

/** An address as people say it: `news.example.com/item`. */
export function shortAddress(text: string): string {
  if (text === '') return 'Direct'
  return text.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
}
