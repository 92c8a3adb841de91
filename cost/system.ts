import { MAINTENANCE } from '#aws/maintenance-settings'
import { CLAIM_BYTES, CLAIM_RECORDS } from '#core/lake/consumer'
import { PART_BYTES } from '#core/lake/jobs'
import { readConfig } from '#lib/config'
import { functionSizes } from '#lib/function-sizes'
import { BUCKETS } from '#schemas/columns'
import { gauges } from '#schemas/log'

/**
 * The work of the service for an event, a request, a read and an hour, as far as AWS charges for it. A number comes from
 * the code (test/cost/ counts it again), from a measurement, or is an estimate; the comments say which. Sizes are in bytes,
 * and a GB is 10^9 bytes.
 */

const HOUR_MS = 3_600_000
/** The configuration of a deployment without options. */
const defaults = readConfig({})

export const system = {
  hoursPerMonth: 730,
  daysPerMonth: 730 / 24,
  minutesPerMonth: 43_800,

  /** Measured on the traffic of local/demo/traffic.ts, which sends as the tracker does. */
  browser: {
    eventsPerRequest: 1.14,
    eventBytes: 660,
    eventsPerSession: 6.7,
    /** Compressed size of tracker.js, measured. */
    scriptBytes: 3_900,
  },

  /** Bytes of headers and responses, estimated. */
  http: { requestHeaderBytes: 800, responseBytes: 600, readResponseBytes: 6_000 },

  /** A record of the stream, measured on the demo's traffic. Records of 1,024 bytes and more are compressed. */
  record: {
    headBytes: 160,
    eventBytes: 590,
    packFromBytes: 1_024,
    packedHeadBytes: 425,
    packedEventBytes: 34,
  },

  /** Limits of a Kinesis shard a second, and the share of them that the peak may use. */
  shard: { records: 1_000, bytes: 1_000_000, maxUse: 0.8, onDemandMinimum: 4 },

  /**
   * Duration of the functions, ms. Estimated: CPU time of a developer machine, doubled for Lambda, plus 5 to 25 ms for each
   * request to AWS.
   */
  functionMs: {
    track: { call: 20, event: 0.05 },
    lake: { call: 200, claim: 60, event: 0.05 },
    scheduler: { call: 150 },
    /** Includes loading DuckDB's library, because most jobs meet a cold function. */
    warmCompaction: { call: 2_500, file: 25, event: 0.012 },
    coldCompaction: { call: 2_500, file: 25, event: 0.03 },
    /** Includes waiting for two rounds of statements. */
    reports: { call: 6_000 },
    site: { call: 5 },
    /** Up to 16 chunks are written at the same time. */
    live: { call: 15, chunk: 0.5, event: 0.03 },
  },
  functions: functionSizes,

  lake: {
    buckets: BUCKETS,
    epochMinutes: defaults.epochMinutes,
    epochBytes: MAINTENANCE.epochBytes,
    coldAfterHours: MAINTENANCE.coldAfterMs / HOUR_MS,
    coldCompactionHours: MAINTENANCE.coldSpanMs / HOUR_MS,
    keepSupersededHours: MAINTENANCE.keepSupersededMs / HOUR_MS,
    /** S3 keeps a deleted hot or warm file for this time (lib/storage.ts). */
    versionHours: 24,
    /** Limits of a claim, before compression. */
    claimRecords: CLAIM_RECORDS,
    claimBytes: CLAIM_BYTES,
    /** Limits of one Lambda call of the consumer, after compression. */
    batchRecords: 10_000,
    batchBytes: 4_500_000,
    partBytes: PART_BYTES,
    /** Bytes of an event in each tier and rollup, measured (docs/decisions/2026-11-21-lake-layout.md, README.md). */
    hotBytes: 44,
    warmBytes: 21.4,
    coldBytes: 21.8,
    sessionsBytes: 3.0,
    activityBytes: 1.1,
    /** Bytes of the session id in sessions_cold, for an event. */
    sessionKeyBytes: 1.1,
    /** A cold compaction of 24 hours touches two dates, and late events add one. */
    datesPerColdCompaction: 3,
    coldTables: 3,
  },

  /** Read and write units of DynamoDB. test/cost/state-requests.test.ts counts them on dynalite. */
  state: {
    /** One call of the consumer, for any number of records. */
    batch: { reads: 1 },
    claim: { reads: 2, writes: 2 },
    /** One tick of the scheduler without work. */
    tick: { reads: 6, writes: 2 },
    /** Closing and compacting one epoch, on top of the ticks. */
    epoch: { reads: 10, writes: 4 },
    /** Checking the superseded files of one epoch every three hours for a day, and deleting them. */
    expiry: { reads: 10, writes: 20 },
    job: { reads: 2, writes: 1 },
    statsRead: { reads: 5, writes: 3 },
    lookUp: { reads: 2, seconds: 5 },
    gigabytes: 0.1,
  },

  /**
   * One call of GET /stats. test/cost/read-scans.test.ts counts the statements and scans. The S3 requests of a statement
   * were measured with Trino (docs/decisions/2026-11-21-s3-requests-of-a-read.md).
   */
  stats: {
    statements: 3,
    /** Scans of events_hot and of events_warm. A project with event_ids needs a second scan each time, to find copies. */
    hotWarmScans: { no: 3, yes: 6 },
    activityScans: 2,
    sessionsScans: 1,
    /** Scans of sessions_cold before the range. */
    earlierSessionScans: 1,
    /** Dates before the range that such a scan reads, at most. */
    earlierDates: 35,
    /** Minutes from closing an epoch until it is warm: one tick sends the job, the next one sees that it is done. */
    compactionMinutes: 2,
    /** The engine reads a file up to this size whole, with one GET. */
    wholeFileBytes: 3_000_000,
    /** The engine reads the columns of a larger file with one GET for each of these (estimated). */
    bytesPerGet: 4_000_000,
    /** Share of a large hot or warm file that the columns of a statement take, estimated. */
    columnShare: 0.45,
    resultPuts: 2,
    minimumBytes: 10_000_000,
    glueRequests: 5,
  },

  /** The live buffer and open streams. test/cost/live.test.ts counts the units again. */
  live: {
    chunkHeadBytes: 500,
    /** Bytes of an event in a chunk of many, compressed; estimated from the bytes in the lake. */
    eventBytes: 60,
    writeUnitBytes: 1_024,
    /** A connection of a stream ends after this time, and its client opens the next one. */
    streamSeconds: 300,
    /** Two looks a second into the buffer of a project with little traffic. */
    streamReadsPerSecond: 4,
    /** The lease is renewed each minute, and taken and released for each connection. */
    streamWritesPerSecond: 1 / 60 + 2 / 300,
  },

  queue: { pollsPerMinute: 15, requestsPerJob: 3 },

  monitoring: {
    /** Metrics of error codes come on top, for the hours in which errors happen. */
    metrics: Object.keys(gauges).length,
    /** Metrics of all alarms in lib/alarms.ts. test/cost/stack.test.ts counts them. */
    alarms: 45,
    dashboards: 1,
    /** Access log line of a request (lib/api.ts), estimated. The functions write no line for a request. */
    requestLogBytes: 280,
    /** Log line with the scheduler's metrics of a minute. */
    tickLogBytes: 600,
    logMonths: 1,
    /** Lambda's sampling rule: this many requests of each second, and this share of the others. */
    tracedSecond: 1,
    tracedShare: 0.05,
    wafRules: 3,
  },
} as const
