import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import * as z from 'zod'
import { accessSettings } from './access/settings.ts'

/** A whole number written in decimal digits, within bounds. */
function whole(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine(value => value >= min && value <= max, message)
}

const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://stats.example.com' })
  .transform(text => text.replace(/\/+$/, ''))

/** The settings of one machine, by the name of their environment variable. README.md lists them; a test compares. */
export const settingsSchema = z.object({
  PORT: whole(0, 65_535).default(8787).meta({ description: 'Port of the service; 0 takes a free one' }),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an address')
    .default('localhost')
    .meta({
      description:
        'Address to listen on; `localhost` is this machine only, `0.0.0.0` every IPv4 network, `::` all',
    }),
  DATA_DIR: z.string().min(1).default('.footfall').meta({ description: 'Folder of all data' }),
  BASE_URL: origin
    .optional()
    .meta({ description: 'Address under which browsers reach the service; default: http://localhost:PORT' }),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
    .transform(name => name.toLowerCase())
    .optional()
    .meta({
      description:
        "Header in which your proxy puts the visitor's country, such as `cf-ipcountry`; set it only behind such a proxy",
    }),
  SEED_DEMO: z
    .stringbool({ error: 'must be true or false' })
    .default(true)
    .meta({ description: 'Fill the demo project with 30 days of traffic at the first start' }),
  QUERY_MEMORY_MB: whole(64, 1_048_576)
    .default(512)
    .meta({ description: 'Memory of all queries together, MB; larger ones spill to disk' }),
  QUERY_CONCURRENCY: whole(1, 64)
    .default(2)
    .meta({ description: 'Queries that run at once; further ones wait' }),
  QUERY_THREADS: whole(1, 256)
    .default(availableParallelism())
    .meta({ description: 'Threads of the query engine; default: one a core' }),
  QUERY_TIMEOUT_MS: whole(100, 3_600_000)
    .default(30_000)
    .meta({ description: 'Longest a statement may run, ms; then 503' }),
  COMPACTION_MEMORY_MB: whole(64, 1_048_576)
    .default(256)
    .meta({ description: 'Memory of compaction, MB; larger ones spill to disk' }),
  EPOCH_SECONDS: whole(1, 86_400)
    .default(600)
    .meta({ description: 'How often new events are compacted, s; sooner when they are 600 files or 16 MB' }),
  STREAM_RETENTION_MINUTES: whole(0, 525_600)
    .default(60)
    .meta({ description: 'How long the log keeps records that are in the lake already, minutes' }),
  ...accessSettings,
})

export type Settings = Readonly<z.infer<typeof settingsSchema>>

/** A setting that cannot be used; the message names it, for the operator. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}

/**
 * Reads the settings once, from the environment. DATA_DIR becomes absolute; an empty variable counts as not set.
 * Throws SettingsError that names every variable that is wrong and what it accepts.
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.keys(settingsSchema.shape)
      .filter(name => environment[name] !== undefined && environment[name] !== '')
      .map(name => [name, environment[name]]),
  )
  const { success, data, error } = settingsSchema.safeParse(given)
  if (!success) {
    const lines = error.issues.map(({ path, message }) => `${String(path[0])} ${message}`)
    throw new SettingsError(lines.join('\n'))
  }
  return Object.freeze({ ...data, DATA_DIR: resolve(data.DATA_DIR) })
}
