import { monthlyCost } from './model.ts'
import type { Usage } from './usage.ts'

/** Changes that a deployer or a sender can make. The tool tries them one at a time. */
const alternatives: { name: string; change: Partial<Usage> | ((usage: Usage) => Partial<Usage>) }[] = [
  { name: 'one event a request', change: { batch: 1 } },
  { name: '10 events a request', change: { batch: 10 } },
  { name: '100 events a request', change: { batch: 100 } },
  { name: 'senders that use the API without CloudFront', change: { cloudfront: 'off' } },
  { name: 'ingestion by a function URL', change: { ingestion: 'function-url' } },
  { name: 'a web ACL', change: { waf: 'on' } },
  { name: 'the stream on demand', change: { stream: 'on-demand' } },
  { name: 'records kept 7 days in the stream', change: { retentionHours: 168 } },
  { name: 'ten times the reads', change: ({ reads }) => ({ reads: reads * 10 }) },
  { name: 'as many funnels as reads', change: ({ reads }) => ({ queries: reads }) },
  { name: 'a fifth more requests, by bots', change: { bots: 0.2 } },
  { name: 'the profile hosted', change: { profile: 'hosted' } },
  { name: 'reads of 7 days', change: { range: 7 } },
  { name: 'reads of a year', change: { range: 365 } },
  { name: 'events kept 3 years', change: { months: 36 } },
  { name: 'epochs of an hour', change: { epochMinutes: 60 } },
  { name: 'event_ids with all events', change: { eventIds: 'yes' } },
  { name: 'ten times the projects', change: ({ projects }) => ({ projects: projects * 10 }) },
  { name: 'a peak twice as high', change: ({ peak }) => ({ peak: Math.min(100, peak * 2) }) },
  { name: 'the dashboard', change: { dashboard: 'on' } },
  {
    name: 'three people with the overview on their screen',
    change: ({ people }) => ({ people: people + 3 }),
  },
  { name: 'ten open streams', change: ({ streams }) => ({ streams: streams + 10 }) },
  { name: 'ten views that poll', change: ({ polls }) => ({ polls: polls + 10 }) },
  { name: 'tracing', change: { tracing: 'on' } },
  { name: 'x86_64', change: { architecture: 'x86_64' } },
]

export type Effect = {
  /** Name of the change. */
  change: string
  /** Cost with the change, USD a month. */
  usd: number
  /** USD a month more or less than without the change. */
  difference: number
}

/**
 * Returns the cost after each change, the largest difference first. It leaves out changes without an effect.
 */
export function sensitivity(usage: Usage): Effect[] {
  const { total } = monthlyCost(usage)
  return alternatives
    .map(({ name, change }) => {
      const changedUsage = { ...usage, ...(typeof change === 'function' ? change(usage) : change) }
      const usd = monthlyCost(changedUsage).total
      return { change: name, usd, difference: usd - total }
    })
    .filter(({ difference }) => Math.abs(difference) >= 0.005)
    .toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
}
