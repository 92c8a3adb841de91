import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { Settings } from '#local/settings'
import { countedCodes } from '#schemas/log'
import type { Counters } from './counters.ts'
import { toMetrics } from './metrics.ts'
import { toPrometheusText } from './prometheus.ts'
import type { ReadAll } from './readings.ts'

const VERSION: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version

export type Watched = {
  readings: ReadAll
  counters: Counters
  /** Unix ms. */
  startedAt: number
}

/** The text of `GET /metrics`. Rejects when the state cannot be read. */
export async function metricsText({ readings, counters, startedAt }: Watched): Promise<string> {
  const sources = { readings: await readings(), counters, version: VERSION, startedAt }
  return toPrometheusText(toMetrics(sources))
}

const seconds = z.number()
const bytes = z.number()

/** How the service of a data folder is: what `footfall doctor` reads over the socket. No secret is in it. */
export const serviceStateShape = z.object({
  version: z.string(),
  pid: z.int(),
  uptime_seconds: seconds,
  base_url: z.string(),
  /** The settings that doctor judges. */
  settings: z.object({
    BASE_URL: z.string().nullable(),
    HOST: z.string(),
    TRUSTED_PROXIES: z.array(z.string()).nullable(),
    SIGN_UP: z.string().nullable(),
    QUERY_MEMORY_MB: z.number(),
    COMPACTION_MEMORY_MB: z.number(),
  }),
  /** Most connections at once. */
  connections: z.number(),
  /** How people sign in, beside the link of the owner. */
  sign_in: z.array(z.string()),
  readings: z.object({
    lake_lag_seconds: seconds.nullable(),
    waiting_bytes: bytes,
    waiting_epochs: z.number(),
    compaction_lag_seconds: seconds,
    claim_age_seconds: seconds,
    manifest_bytes: bytes,
    erasures_waiting: z.number(),
    disk: z.object({ free: bytes, size: bytes, needed: bytes, isReached: z.boolean() }),
    backup_age_seconds: seconds.nullable(),
  }),
  /**
   * How many lines the log has of each failure since the start, by code. Codes without a line are left out.
   */
  failures: z.record(z.string(), z.number()),
})

export type ServiceState = z.infer<typeof serviceStateShape>

export type StateOptions = {
  settings: Settings
  baseUrl: string
  connections: number
  signInWays: readonly string[]
}

/** Codes that a person has to look at, beside those that AWS counts. */
const WATCHED_CODES = [
  ...countedCodes,
  'PROXY_NOT_TRUSTED',
  'FOLDER_OPEN_TO_OTHERS',
  'KEY_FILES_STALE',
  'CODE_CHANGED',
] as const

/** Rejects when the state cannot be read. */
export async function serviceState(
  { readings, counters, startedAt }: Watched,
  { settings, baseUrl, connections, signInWays }: StateOptions,
): Promise<ServiceState> {
  const { BASE_URL, HOST, TRUSTED_PROXIES, SIGN_UP, QUERY_MEMORY_MB, COMPACTION_MEMORY_MB } = settings
  const failures = WATCHED_CODES.map(code => [code, counters.lines(code)] as const)
  return {
    version: VERSION,
    pid: process.pid,
    uptime_seconds: (Date.now() - startedAt) / 1_000,
    base_url: baseUrl,
    settings: {
      BASE_URL: BASE_URL ?? null,
      HOST,
      TRUSTED_PROXIES: TRUSTED_PROXIES ?? null,
      SIGN_UP: SIGN_UP ?? null,
      QUERY_MEMORY_MB,
      COMPACTION_MEMORY_MB,
    },
    connections,
    sign_in: [...signInWays],
    readings: await readings(),
    failures: Object.fromEntries(failures.filter(([, count]) => count > 0)),
  }
}
