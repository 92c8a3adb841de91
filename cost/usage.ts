import * as z from 'zod'
import { system } from './system.ts'

const scales = { '': 1, K: 1e3, M: 1e6, B: 1e9 }

/** A number with K, M, B (thousand, million, thousand million) behind it, or none: 1M, 2.5B, 300000. */
function count(least: number) {
  return z
    .union([z.number(), z.string()])
    .transform((given, context) => {
      if (typeof given === 'number') return given
      const match = /^(\d+(?:\.\d+)?)([KMB]?)$/i.exec(given)
      if (match !== null)
        return Number(match[1]) * scales[(match[2] ?? '').toUpperCase() as keyof typeof scales]
      context.addIssue('must be a number such as 300000, 1M or 2.5B')
      return z.NEVER
    })
    .pipe(z.number().min(least, `must be at least ${least}`).max(1e13, 'must be at most 10000B'))
}

function number(min: number, max: number) {
  const bounds = `must be a number from ${min} to ${max}`
  return z.coerce.number(bounds).min(min, bounds).max(max, bounds)
}

function whole(min: number, max: number) {
  const bounds = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(bounds).int(bounds).min(min, bounds).max(max, bounds)
}

function oneOf<const T extends readonly string[]>(...values: T) {
  return z.enum(values, `must be one of ${values.join(', ')}`)
}

/** How much the service is used, and how it is set up: what the model is asked for. */
export const usageSchema = z.strictObject({
  events: count(0).default(100e6).meta({ description: 'events a month' }),
  batch: number(1, 100)
    .default(system.browser.eventsARequest)
    .meta({ description: 'events a request: 1.14 is what browsers send, servers send what they like' }),
  browserShare: number(0, 1).default(1).meta({
    description: 'share of the events that come from browsers, which fetch the tracker once a visit',
  }),
  eventBytes: number(100, 10_000)
    .default(system.browser.eventBytes)
    .meta({ description: 'bytes of one event on the wire' }),
  peak: number(1, 100).default(4).meta({ description: 'busiest second over the average one' }),
  projects: count(1).default(10).meta({ description: 'projects, all of one size' }),
  accounts: count(1).default(1).meta({ description: 'accounts that own them' }),
  eventIds: oneOf('no', 'yes').default('no').meta({ description: 'whether senders give event_ids' }),
  reads: count(0).default(10e3).meta({ description: 'calls of GET /stats a month' }),
  range: whole(1, 3_650).default(30).meta({ description: 'days that a read asks for' }),
  months: number(0, 120).default(12).meta({ description: 'months of events that are kept' }),

  stream: oneOf('provisioned', 'on-demand')
    .default('provisioned')
    .meta({ description: 'mode of the stream' }),
  shards: whole(0, 500)
    .default(0)
    .meta({ description: 'shards of a provisioned stream; 0: as many as the peak needs' }),
  retentionHours: whole(24, 168).default(24).meta({ description: 'hours that the stream keeps records' }),
  epochMinutes: number(1, 1_440)
    .default(system.lake.epochMinutes)
    .meta({ description: 'minutes until an epoch ends and is compacted' }),
  architecture: oneOf('arm64', 'x86_64').default('arm64').meta({ description: 'processor of the functions' }),
  cloudfront: oneOf('on', 'off')
    .default('on')
    .meta({ description: 'off: senders use the address of the API itself' }),
  waf: oneOf('off', 'on')
    .default('off')
    .meta({ description: 'a web ACL with 3 rules in front of CloudFront' }),
  tracing: oneOf('off', 'on').default('off').meta({ description: "X-Ray, by Lambda's own sampling" }),
  freeTier: oneOf('no', 'yes')
    .default('no')
    .meta({ description: 'subtract what AWS gives every account for ever' }),
})

export type Usage = z.output<typeof usageSchema>

export const defaultUsage: Usage = usageSchema.parse({})

/** The defaults with some of them changed. */
export function usage(changes: Partial<Usage> = {}): Usage {
  return { ...defaultUsage, ...changes }
}
