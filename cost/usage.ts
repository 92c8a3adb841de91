import * as z from 'zod'
import { system } from './system.ts'

const scales = { '': 1, K: 1e3, M: 1e6, B: 1e9 }

/** A number with an optional suffix K, M or B (thousand, million, thousand million): 1M, 2.5B, 300000. */
function count(min: number) {
  return z
    .union([z.number(), z.string()])
    .transform((value, context) => {
      if (typeof value === 'number') return value
      const match = /^(\d+(?:\.\d+)?)([KMB]?)$/i.exec(value)
      if (match !== null)
        return Number(match[1]) * scales[(match[2] ?? '').toUpperCase() as keyof typeof scales]
      context.addIssue('must be a number such as 300000, 1M or 2.5B')
      return z.NEVER
    })
    .pipe(z.number().min(min, `must be at least ${min}`).max(1e13, 'must be at most 10000B'))
}

function number(min: number, max: number) {
  const bounds = `must be a number from ${min} to ${max}`
  return z.coerce.number(bounds).min(min, bounds).max(max, bounds)
}

function wholeNumber(min: number, max: number) {
  const bounds = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(bounds).int(bounds).min(min, bounds).max(max, bounds)
}

function oneOf<const T extends readonly string[]>(...values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`)
}

/** The input of the model: the load and the configuration of the service. */
export const usageSchema = z.strictObject({
  events: count(0).default(100e6).meta({ description: 'events a month' }),
  batch: number(1, 100)
    .default(system.browser.eventsPerRequest)
    .meta({ description: 'events a request; browsers send 1.14 on average, servers up to 100' }),
  browserShare: number(0, 1).default(1).meta({
    description: 'share of the events from browsers, which load the tracker once a session',
  }),
  eventBytes: number(100, 10_000)
    .default(system.browser.eventBytes)
    .meta({ description: 'bytes of one event in a request' }),
  peak: number(1, 100)
    .default(4)
    .meta({ description: 'events of the busiest second, as a multiple of the average' }),
  projects: count(1).default(10).meta({ description: 'projects, all of the same size' }),
  accounts: count(1).default(1).meta({ description: 'accounts that own the projects' }),
  eventIds: oneOf('no', 'yes').default('no').meta({ description: 'whether senders give an event_id' }),
  reads: count(0).default(10e3).meta({ description: 'calls of GET /stats a month' }),
  queries: count(0).default(0).meta({
    description: 'calls a month of funnels, queries and the other reports that scan the events themselves',
  }),
  bots: number(0, 10).default(0).meta({
    description: 'requests of bots, as a multiple of those with events; they are answered and not stored',
  }),
  range: wholeNumber(1, 3_650).default(30).meta({ description: 'days in the range of a read' }),
  people: number(0, 10_000).default(0).meta({
    description: 'people who have the overview of the dashboard on their screen, eight hours a working day',
  }),
  refreshSeconds: wholeNumber(10, 86_400)
    .default(system.dashboard.refreshSeconds)
    .meta({ description: 'how often a view of the dashboard asks again' }),
  streams: number(0, 10_000)
    .default(0)
    .meta({ description: 'streams (GET /stream) that are open all the time' }),
  polls: number(0, 10_000)
    .default(0)
    .meta({ description: 'views that poll what is new all the time (GET /live with `after`)' }),
  analyses: count(0).default(0).meta({
    description: 'full website analyses a month, with the monthly ones of projects',
  }),
  textModel: oneOf('off', 'on')
    .default('off')
    .meta({ description: 'whether a text model of Bedrock words the analyses, at the price of a small one' }),
  replays: count(0).default(0).meta({ description: 'session replays a month' }),
  replayMinutes: number(0.1, 15)
    .default(system.replay.minutes)
    .meta({ description: 'minutes of a replay in which something happens' }),
  replayViews: number(0, 100).default(0.1).meta({ description: 'how often a replay is watched, on average' }),
  months: number(0, 120).default(12).meta({ description: 'months that events are stored' }),

  stream: oneOf('provisioned', 'on-demand')
    .default('provisioned')
    .meta({ description: 'mode of the stream' }),
  shards: wholeNumber(0, 500)
    .default(0)
    .meta({ description: 'shards of a provisioned stream; 0 means as many as the peak needs' }),
  retentionHours: wholeNumber(24, 168)
    .default(24)
    .meta({ description: 'hours that the stream keeps records' }),
  epochMinutes: number(1, 1_440)
    .default(system.lake.epochMinutes)
    .meta({ description: 'minutes until an epoch is closed and compacted' }),
  architecture: oneOf('arm64', 'x86_64').default('arm64').meta({ description: 'processor of the functions' }),
  cloudfront: oneOf('on', 'off')
    .default('on')
    .meta({ description: 'off means that senders use the API without CloudFront' }),
  profile: oneOf('own', 'hosted').default('own').meta({ description: 'profile of plans and limits' }),
  ingestion: oneOf('api', 'function-url')
    .default('api')
    .meta({ description: 'how CloudFront calls the function that takes events' }),
  waf: oneOf('off', 'on')
    .default('off')
    .meta({ description: 'a web ACL with 3 rules in front of CloudFront' }),
  tracing: oneOf('off', 'on')
    .default('off')
    .meta({ description: "X-Ray traces, with Lambda's own sampling" }),
  alarms: oneOf('all', 'main')
    .default('all')
    .meta({ description: 'all with an address for alarms, main without one' }),
  dashboard: oneOf('off', 'on')
    .default('off')
    .meta({ description: 'the dashboard of the service in CloudWatch' }),
  freeTier: oneOf('no', 'yes')
    .default('no')
    .meta({ description: 'whether to subtract the free tier that every account has for ever' }),
})

export type Usage = z.output<typeof usageSchema>

export const defaultUsage: Usage = usageSchema.parse({})

/** Returns the default usage with some changes. */
export function usage(changes: Partial<Usage> = {}): Usage {
  return { ...defaultUsage, ...changes }
}
