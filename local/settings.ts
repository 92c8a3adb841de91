import { availableParallelism } from 'node:os'
import { isAbsolute, resolve } from 'node:path'
import * as z from 'zod'
import { accessSettings } from './access/settings.ts'
import { isNetwork } from './http/trusted-proxies.ts'

/** A whole number within bounds, in decimal digits. */
function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine(value => value >= min && value <= max, message)
}

const ORIGIN_RULE =
  'must be an http or https address without a path, such as https://stats.example.com, because the tracker, cookies and sign-in take the host alone'

/**
 * A path is refused: the service does not answer below one, and every address that it tells would be wrong.
 */
const origin = z
  .url({ protocol: /^https?$/, error: ORIGIN_RULE })
  .transform(text => text.replace(/(?<!\/)\/+$/, ''))
  .refine(text => !URL.canParse(text) || `${new URL(text).origin}/` === new URL(text).href, ORIGIN_RULE)

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/
/** Far more than anybody has. Each request is compared with all of them. */
const MAX_PROXIES = 100
const NETWORKS_RULE = `must be a list of at most ${MAX_PROXIES} addresses and networks such as 127.0.0.1,172.16.0.0/12`

/**
 * The settings of one machine, by the name of their environment variable. docs/settings.md is generated
 * from their descriptions; `preset` is a default that the page says in words.
 */
export const settingsSchema = z.object({
  PORT: wholeNumber(0, 65_535)
    .default(8787)
    .meta({ description: 'Port of the service; 0 chooses a free one' }),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an IP address')
    .default('localhost')
    .meta({
      description:
        'Address to listen on: `localhost` is this machine only, `0.0.0.0` is every IPv4 network, `::` is every network',
    }),
  DATA_DIR: z
    .string()
    .min(1)
    .default('.footfall')
    .meta({ description: 'Folder of all data; only one service can use it at a time' }),
  BASE_URL: origin.optional().meta({
    description:
      'Address at which browsers reach the service, for example that of your proxy. Without it, examples in responses name the address that their caller used',
    preset: '`http://localhost:PORT`',
  }),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of an HTTP header')
    .transform(name => name.toLowerCase())
    .optional()
    .meta({
      description:
        "Header in which your proxy sends the user's country, such as `cf-ipcountry`; needs TRUSTED_PROXIES. Without it, an offline table of addresses is used",
    }),
  TRUSTED_PROXIES: z
    .string()
    .transform(text => text.split(',').map(part => part.trim()))
    .refine(networks => networks.length <= MAX_PROXIES && networks.every(isNetwork), NETWORKS_RULE)
    .optional()
    .meta({
      description:
        'Addresses and networks of your proxies, such as `127.0.0.1,::1,172.16.0.0/12`: their `X-Forwarded-For` and `COUNTRY_HEADER` count. Without it, who connects is the caller',
    }),
  SEED_DEMO: z.stringbool({ error: 'must be true or false' }).default(true).meta({
    description:
      'Whether the first start fills the demo project with 30 days of traffic, and everybody may read it ([the demo](sign-in.md#the-demo)). With `false` no document and no text of the service names a demo',
  }),
  QUERY_MEMORY_MB: wholeNumber(64, 1_048_576)
    .default(512)
    .meta({ description: 'Memory of all queries together, MB; a query that needs more uses the disk' }),
  QUERY_CONCURRENCY: wholeNumber(1, 64).default(2).meta({
    description:
      'How many statements of one account run at the same time. One more may run for another account. The other statements wait; after 10 s of waiting the response is 503',
  }),
  QUERY_THREADS: wholeNumber(1, 256)
    .default(availableParallelism())
    .meta({ description: 'Threads of the query engine', preset: 'one per core' }),
  QUERY_TIMEOUT_MS: wholeNumber(100, 3_600_000)
    .default(30_000)
    .meta({ description: 'Longest run time of a query, ms, without its wait; after it the response is 503' }),
  COMPACTION_MEMORY_MB: wholeNumber(64, 1_048_576).default(256).meta({
    description:
      'Memory of compaction, MB, and half as much for links beside it; work that needs more uses the disk',
  }),
  EPOCH_SECONDS: wholeNumber(1, 86_400).default(600).meta({
    description:
      'Longest time between two compactions of new events, s; 600 files or 16 MB start one earlier',
  }),
  STREAM_RETENTION_MINUTES: wholeNumber(0, 525_600)
    .default(60)
    .meta({ description: 'How long the log keeps a record after the lake has it, minutes' }),
  CHROMIUM_PATH: z.string().refine(isAbsolute, 'must be the absolute path of a file').optional().meta({
    description: 'An installed Chromium for website analyses: it renders pages that need their scripts',
    preset: 'the one of npm, on Linux with x64; elsewhere none',
  }),
  METRICS_SECRET: z
    .string()
    .regex(/^[\w.~+/=-]{16,200}$/, 'must be 16 to 200 letters, digits or signs of .~+/=_-')
    .optional()
    .meta({
      description:
        'Bearer token with which another machine may read [`/metrics`](monitoring.md). Without it only programs of this machine may',
    }),
  TEXT_MODEL: z
    .string()
    .regex(/^[\w.:/-]{3,300}$/, 'must be the id of a model of Amazon Bedrock')
    .optional()
    .meta({
      description:
        'Model of Amazon Bedrock that words the advice of full website analyses; region and credentials are those that the AWS SDK finds. Without it no model is called',
    }),
  ...accessSettings,
})

export type Settings = Readonly<z.infer<typeof settingsSchema>>

/** A setting is wrong. The message is for the operator and names the setting. */
export class SettingsError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SettingsError'
  }
}

/**
 * Reads the settings from the environment. DATA_DIR becomes an absolute path; an empty variable counts as not
 * set. Throws a SettingsError that names every wrong variable and the values that it accepts.
 */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const variables = Object.fromEntries(
    Object.keys(settingsSchema.shape)
      .filter(name => environment[name] !== undefined && environment[name] !== '')
      .map(name => [name, environment[name]]),
  )
  const { success, data, error } = settingsSchema.safeParse(variables)
  if (!success) {
    const lines = error.issues.map(({ path: [name], message }) => {
      // The output may be kept in a system log.
      if (String(name).includes('SECRET')) return `${String(name)} ${message}.`
      return `${String(name)} ${message}, not ${JSON.stringify(variables[String(name)])}.`
    })
    throw new SettingsError(lines.join('\n'))
  }
  if (data.COUNTRY_HEADER !== undefined && data.TRUSTED_PROXIES === undefined) {
    throw new SettingsError(
      'COUNTRY_HEADER needs TRUSTED_PROXIES: the addresses of the proxies that send the header. Anybody could send it otherwise.',
    )
  }
  if (data.DEV_APPROVE && !LOOPBACK_HOST.test(data.HOST)) {
    throw new SettingsError(
      'DEV_APPROVE must be false where HOST is not localhost, because it approves sessions without a human.',
    )
  }
  return Object.freeze({ ...data, DATA_DIR: resolve(data.DATA_DIR) })
}
