import { monthlyCost } from './model.ts'
import type { Usage } from './usage.ts'

/** What a deployer or a sender can change, one at a time, and to what. */
const alternatives: { what: string; change: Partial<Usage> | ((usage: Usage) => Partial<Usage>) }[] = [
  { what: 'one event a request', change: { batch: 1 } },
  { what: '10 events a request', change: { batch: 10 } },
  { what: '100 events a request', change: { batch: 100 } },
  { what: 'senders at the address of the API, past CloudFront', change: { cloudfront: 'off' } },
  { what: 'a web ACL', change: { waf: 'on' } },
  { what: 'the stream on demand', change: { stream: 'on-demand' } },
  { what: 'records kept 7 days in the stream', change: { retentionHours: 168 } },
  { what: 'reads ten times as many', change: ({ reads }) => ({ reads: reads * 10 }) },
  { what: 'reads of 7 days', change: { range: 7 } },
  { what: 'reads of a year', change: { range: 365 } },
  { what: 'events kept 3 years', change: { months: 36 } },
  { what: 'epochs of 10 minutes', change: { epochMinutes: 10 } },
  { what: 'event_ids with all events', change: { eventIds: 'yes' } },
  { what: 'ten times the projects', change: ({ projects }) => ({ projects: projects * 10 }) },
  { what: 'a peak twice as high', change: ({ peak }) => ({ peak: Math.min(100, peak * 2) }) },
  { what: 'tracing', change: { tracing: 'on' } },
  { what: 'x86_64', change: { architecture: 'x86_64' } },
]

export type Effect = { what: string; usd: number /** More or less than as it is. */; difference: number }

/** The cost with each setting changed by itself, the largest difference first; what changes nothing is left out. */
export function sensitivity(usage: Usage): Effect[] {
  const { total } = monthlyCost(usage)
  return alternatives
    .map(({ what, change }) => {
      const changed = { ...usage, ...(typeof change === 'function' ? change(usage) : change) }
      const usd = monthlyCost(changed).total
      return { what, usd, difference: usd - total }
    })
    .filter(({ difference }) => Math.abs(difference) >= 0.005)
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
}
