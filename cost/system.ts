import { MAINTENANCE } from '#aws/maintenance-settings'
import { CLAIM_BYTES, CLAIM_RECORDS } from '#core/lake/consumer'
import { PART_BYTES } from '#core/lake/jobs'
import { readConfig } from '#lib/config'
import { functionSizes } from '#lib/function-sizes'
import { BUCKETS } from '#schemas/columns'
import { gauges } from '#schemas/log'

/**
 * What this system does for an event, a request, a read and an hour, as far as money follows from it: from the code
 * (counted again by test/cost/), measured, or estimated; each says which. Sizes in bytes, GB are 10^9 of them.
 */

const HOUR_MS = 3_600_000
/** What a deployment without options is. */
const defaults = readConfig({})

export const system = {
  hoursAMonth: 730,
  daysAMonth: 730 / 24,
  minutesAMonth: 43_800,

  /** What a browser does. Measured on local/demo/traffic.ts, which flushes as the tracker does. */
  browser: {
    eventsARequest: 1.14,
    eventBytes: 660,
    eventsAVisit: 6.7,
    /** tracker.js, compressed; measured on the build. */
    scriptBytes: 3_900,
  },

  /** Bytes around a body, estimated. */
  http: { requestHeaderBytes: 800, answerBytes: 600, readAnswerBytes: 6_000 },

  /** A record of the stream, measured on the demo's traffic: packed from 1,024 bytes on (core/ingest/record.ts). */
  record: {
    headBytes: 160,
    eventBytes: 590,
    packFromBytes: 1_024,
    packedHeadBytes: 425,
    packedEventBytes: 34,
  },

  /** What AWS lets through (Kinesis), and how far a shard is filled at the peak. */
  shard: { records: 1_000, bytes: 1_000_000, use: 0.8, onDemandLeast: 4 },

  /** Time of the functions, ms: estimated from the processor time here, doubled for Lambda, and from calls at 5 to 25 ms. */
  functionMs: {
    track: { each: 20, event: 0.05 },
    lake: { each: 200, claim: 60, event: 0.05 },
    scheduler: { each: 150 },
    /** With the load of DuckDB's library, as a job mostly comes to a cold function. */
    compact: { each: 2_500, file: 25, event: 0.012 },
    roll: { each: 2_500, file: 25, event: 0.03 },
    /** Two rounds of statements, waited for. */
    reports: { each: 6_000 },
    site: { each: 5 },
  },
  functions: functionSizes,

  lake: {
    buckets: BUCKETS,
    epochMinutes: defaults.epochMinutes,
    epochBytes: MAINTENANCE.epochBytes,
    coldAfterHours: MAINTENANCE.coldAfterMs / HOUR_MS,
    rollHours: MAINTENANCE.coldSpanMs / HOUR_MS,
    keepFinerHours: MAINTENANCE.keepSupersededMs / HOUR_MS,
    /** A deleted version stays so long (lib/storage.ts). */
    versionHours: 24,
    /** Of records that are unpacked. */
    claimRecords: CLAIM_RECORDS,
    claimBytes: CLAIM_BYTES,
    /** What Lambda delivers at once, by the stream's mapping, of records as they are in the stream. */
    batchRecords: 10_000,
    batchBytes: 4_500_000,
    partBytes: PART_BYTES,
    /** Measured (docs/decisions/2026-11-21-lake-layout.md, README). */
    hotBytes: 44,
    warmBytes: 21.4,
    coldBytes: 21.8,
    sessionsBytes: 3.0,
    activityBytes: 1.1,
    /** A session's key in sessions_cold. */
    sessionKeyBytes: 1.1,
    /** A roll of 24 hours touches two dates, and late events another. */
    datesARoll: 3,
    coldTables: 3,
  },

  /** DynamoDB's requests; test/cost/state-requests.test.ts counts them on dynalite. */
  state: {
    /** A call of the consumer, whatever it brings. */
    batch: { reads: 1 },
    claim: { reads: 2, writes: 2 },
    /** The tick of a minute without work, what an epoch on its way adds to it, and a job. */
    tick: { reads: 6, writes: 2 },
    epoch: { reads: 10, writes: 4 },
    /** That one finer copy of an epoch is looked at every three hours for a day. */
    expiry: { reads: 10, writes: 20 },
    job: { reads: 2, writes: 1 },
    statsRead: { reads: 5, writes: 2 },
    lookUp: { reads: 2, seconds: 5 },
    gigabytes: 0.1,
  },

  /**
   * GET /stats. test/cost/read-scans.test.ts counts statements and scans; what Trino then asks of S3 was measured
   * (docs/decisions/2026-11-21-what-a-read-asks-of-s3.md).
   */
  stats: {
    statements: 3,
    /** Of events_warm and of events_hot; a project that sends event_ids is looked through for copies as well. */
    freshScans: { no: 3, yes: 6 },
    activityScans: 2,
    visitsScans: 1,
    /** Of sessions_cold before the range, so many dates at most. */
    olderScans: 1,
    olderDates: 35,
    /** Until an epoch that has ended is warm, while the next one fills: a tick sends the job, another finds it done. */
    compactionMinutes: 2,
    /** A file up to this size is read whole, by one GET. Of a larger one, the columns, so many bytes a GET (estimated). */
    wholeFileBytes: 3_000_000,
    bytesAGet: 4_000_000,
    /** Share of a larger hot or warm file that the columns of a statement are; estimated. */
    columnShare: 0.45,
    resultPuts: 2,
    leastBytes: 10_000_000,
    glueRequests: 5,
  },

  queue: { pollsAMinute: 15, requestsAJob: 3 },

  watching: {
    /** Those of trouble come beside them for the hours in which there is some. */
    metrics: Object.keys(gauges).length,
    /** Metrics in lib/alarms.ts; test/cost/stack.test.ts counts them. */
    alarms: 36,
    dashboards: 1,
    /** The line that the API writes of a request (lib/api.ts), estimated; the functions write none. */
    requestLogBytes: 280,
    /** The scheduler's metrics of a minute, as a line. */
    tickLogBytes: 600,
    logMonths: 1,
    /** Lambda's own sampling: the first of a second, and a share of the others. */
    tracedSecond: 1,
    tracedShare: 0.05,
    wafRules: 3,
  },
} as const
