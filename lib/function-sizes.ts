import type { FunctionName } from '#schemas/functions'
import type { Config } from './config.ts'

export type FunctionSize = {
  /** What the function does. The AWS console shows this text. */
  description: string
  /** CPU grows with memory: 1,769 MB give one core. */
  memoryMb: number
  timeoutSeconds: number
  /** Disk under /tmp. */
  diskMb?: number
  /** Default: that of the options. */
  architecture?: 'x86_64'
}

/** An HTTP API waits 30 s for a function. The function ends earlier, so that it can answer 503 itself. */
const HTTP_SECONDS = 28

/** Memory, time and disk of each function by default, with the reason. */
const DEFAULT_SIZES: Record<FunctionName, FunctionSize> = {
  // Enough CPU to start fast and to unpack a batch. An append ends within 5 s.
  track: { description: 'Takes events: POST /track', memoryMb: 512, timeoutSeconds: 15 },
  // Waits for Athena. A statement is stopped after 25 s, and a request answers 503 at 1.5 s before its
  // timeout.
  reports: { description: 'Answers reports from the lake', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  // Mostly waits: 1,000 events a second need a few per cent of a core. A stream ends by itself after 5
  // minutes.
  stream: { description: 'Open streams: GET /stream', memoryMb: 256, timeoutSeconds: 330 },
  control: { description: 'Projects and accounts', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  // Runs reports, several for some tools.
  mcp: { description: 'Tools of the Model Context Protocol', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  // Unpacks a chunk of up to 4 MiB of JSON.
  replay: { description: 'Session replay', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  auth: { description: 'Agent sessions', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  site: { description: 'The tracker, the API document, unknown paths', memoryMb: 256, timeoutSeconds: 10 },
  // Rare calls of people; the first one loads the libraries of sign-in.
  pages: { description: 'Serves the pages for people', memoryMb: 512, timeoutSeconds: HTTP_SECONDS },
  // A claim of 100,000 rows needs a few hundred MB and a few seconds. The rest is for reading a claimed range
  // again.
  lake: { description: 'Writes hot files from the stream', memoryMb: 1024, timeoutSeconds: 300 },
  // A second of events, a few MB. A batch that takes longer than this is too late for live reads.
  live: { description: 'Copies events into the live buffer', memoryMb: 512, timeoutSeconds: 30 },
  // 3,008 MB is the limit of a new account. A merge keeps temporary files of about 25 times its segments on
  // the disk.
  jobs: { description: 'Compacts and sweeps the lake', memoryMb: 3008, timeoutSeconds: 900, diskMb: 10_240 },
  // A browser that renders a page takes up to 1.2 GB, and 204 MB of the disk. A full analysis reads for 135 s
  // at most.
  scan: {
    description: 'Reads the pages of a website, without any right',
    memoryMb: 2048,
    timeoutSeconds: 170,
    diskMb: 1024,
    architecture: 'x86_64',
  },
  // It finishes about two claims of a shard a second, and describes segments one after the other. A call may
  // be repeated.
  restore: {
    description: 'Makes table and lake agree after a restore',
    memoryMb: 3008,
    timeoutSeconds: 900,
    diskMb: 10_240,
  },
  // Ends before its lease of 60 s, so that two ticks never run at the same time.
  scheduler: {
    description: 'Closes epochs, sends jobs',
    memoryMb: 512,
    timeoutSeconds: 55,
  },
  // The demo's traffic is 12,000 records, which one shard takes in 12 s.
  owner: { description: "Creates the owner's account, key and project", memoryMb: 512, timeoutSeconds: 120 },
}

/** Functions that answer reports. */
export const READ_FUNCTIONS = ['reports', 'mcp'] as const satisfies FunctionName[]

/** With `reads=auto`: one core, and room on the disk for copies of files of the lake and for DuckDB. */
const SMALL_READS_SIZE = { memoryMb: 1_769, diskMb: 2_048 }

/** Memory, time and disk of a function. */
export function functionSize(name: FunctionName, { reads }: Pick<Config, 'reads'>): FunctionSize {
  const readsSmall = reads === 'auto' && READ_FUNCTIONS.some(each => each === name)
  return { ...DEFAULT_SIZES[name], ...(readsSmall && SMALL_READS_SIZE) }
}

/** Functions that run DuckDB all the time, whose memory grows with what they read. */
export const DUCKDB_FUNCTIONS = ['jobs', 'restore'] as const satisfies FunctionName[]

/**
 * Memory of DuckDB in a worker. The rest is for Node and for the file that it loads from S3 or stores there.
 */
export const COMPACTION_MEMORY_MB = 2048

/**
 * Memory of DuckDB in a function that answers small reads. The rest is for Node, with the rows of a report
 * and the file that it copies.
 */
export const READS_MEMORY_MB = 1_024
