import { MAINTENANCE } from '#aws/maintenance-settings'
import { CLAIM_BYTES, CLAIM_RECORDS } from '#core/lake/consume/consumer'
import { LOOKBACK_S } from '#core/lake/model/copies'
import { SEGMENT_TABLES } from '#core/lake/model/keys'
import { readConfig } from '#lib/config'
import { type FunctionSize, functionSize } from '#lib/function-sizes'
import { BUCKETS } from '#schemas/columns'
import { type FunctionName, functions } from '#schemas/functions'

/**
 * The work of the service for an event, a request, a read and an hour, as far as AWS charges for it. A number
 * comes from the code (test/cost/ counts it again), from a measurement, or is an estimate; the comments say
 * which. Sizes are in bytes, and a GB is 10^9 bytes.
 */

const HOUR_MS = 3_600_000
/** The configuration of a deployment without options. */
const defaults = readConfig({})

export const system = {
  hoursPerMonth: 730,
  daysPerMonth: 730 / 24,
  minutesPerMonth: 43_800,

  /** Measured on the traffic of core/demo/traffic.ts, which sends as the tracker does. */
  browser: {
    eventsPerRequest: 1.14,
    eventBytes: 660,
    eventsPerSession: 6.7,
    /** Compressed size of tracker.js as CloudFront sends it (brotli), measured. */
    scriptBytes: 5_500,
    /** The script, and the experiments of the project. */
    loadRequests: 2,
  },

  /** Bytes of headers and responses, estimated. */
  http: { requestHeaderBytes: 800, responseBytes: 600, readResponseBytes: 6_000 },

  /**
   * A record of the stream, measured on the demo's traffic. Records of 1,024 bytes and more are compressed.
   */
  record: {
    headBytes: 160,
    eventBytes: 590,
    packFromBytes: 1_024,
    packedHeadBytes: 425,
    packedEventBytes: 34,
  },

  /**
   * GET /experiments/config at CloudFront: its regional caches (from memory), the time that they keep an
   * answer (lambdas/control/experiments-config.ts), and a miss: ms of the function, and units of the table.
   */
  config: { caches: 13, seconds: 60, call: 15, reads: 4 },

  /**
   * A full website analysis, estimated: most of it waits for the site. `scan` and the job that waits for it
   * run as long. Its table has about 40 units of writes and as many of reads. Tokens of a text model:
   * measured on the sites of test/scans/corpus with the tokenizer of another model, and a quarter more.
   */
  analysis: { ms: 45_000, writes: 40, reads: 40, tokensIn: 1_300, tokensOut: 750 },

  /** Limits of a Kinesis shard a second, and the share of them that the peak may use. */
  shard: { records: 1_000, bytes: 1_000_000, maxUse: 0.8, onDemandMinimum: 4 },

  /**
   * Duration of the functions, ms. Estimated: CPU time of a developer machine, doubled for Lambda, plus 5 to
   * 25 ms for each request to AWS.
   */
  functionMs: {
    track: { call: 20, event: 0.05 },
    lake: { call: 200, claim: 60, event: 0.05 },
    scheduler: { call: 150 },
    /** Both include loading DuckDB's library, because most jobs meet a cold function. */
    compaction: { call: 2_500, file: 25, event: 0.03 },
    merge: { call: 2_500, file: 25, event: 0.03 },
    /** A slice of a sweep. */
    sweep: { call: 100, page: 25 },
    /** Includes waiting for two rounds of statements. The statement that finds copies is one round more. */
    reports: { call: 5_000, copyStatement: 1_500 },
    site: { call: 5 },
    /** A request writes up to 25 chunks. */
    live: { call: 15, chunk: 0.5, event: 0.03 },
  },
  /**
   * The start of a process, which Lambda bills since August 2025: the share of calls that meet one (under 1
   * %, says AWS: "AWS Lambda standardizes billing for INIT Phase", April 2025), and ms (estimated). The
   * durations above include it for functions that most calls find cold. A process of `withSecret` may ask for
   * a secret. Lambda bills the disk beyond `freeDiskMb`.
   */
  coldStart: {
    share: 0.01,
    ms: 400,
    included: ['jobs', 'scan'],
    withSecret: ['reports', 'control'],
    freeDiskMb: 512,
  },
  /** Consumers of the stream, lake and live (lib/event-sources.ts). Each reads every byte. */
  consumers: 2,
  functions: Object.fromEntries(
    (Object.keys(functions) as FunctionName[]).map(name => [name, functionSize(name, defaults)]),
  ) as Record<FunctionName, FunctionSize>,

  lake: {
    buckets: BUCKETS,
    epochMinutes: defaults.epochMinutes,
    epochBytes: MAINTENANCE.epochBytes,
    epochFiles: MAINTENANCE.epochFiles,
    jobBytes: MAINTENANCE.jobBytes,
    mergeSegments: MAINTENANCE.mergeSegments,
    mergeBytes: MAINTENANCE.mergeBytes,
    keepSupersededHours: MAINTENANCE.keepSupersededMs / HOUR_MS,
    /** S3 keeps a deleted hot file, and a deleted file of a segment, for these times (lib/storage.ts). */
    hotVersionHours: 24,
    segmentVersionHours: 14 * 24,
    /** Limits of a claim, before compression. */
    claimRecords: CLAIM_RECORDS,
    claimBytes: CLAIM_BYTES,
    /** Limits of one Lambda call of the consumer, after compression. */
    batchRecords: 10_000,
    batchBytes: 4_500_000,
    /**
     * Bytes of an event in a hot file, measured on the demo's traffic: 33 in a file of 2,700 events, 30 in
     * one of 5,700, and 58 in one of 320, because each file has a footer.
     */
    hotBytes: 30,
    /** In each file of a merged segment, measured (docs/decisions/2026-11-22-segments.md). */
    eventsBytes: 14.6,
    sessionsBytes: 3.7,
    /**
     * Beside them, what only /sources and conditions on sources read
     * (docs/decisions/2026-11-30-sources-in-the-rollup.md).
     */
    sourcesBytes: 0.22,
    activityBytes: 1.13,
    eventIdsBytes: 7,
    /** Bytes of the session keys in segment_sessions, for an event. */
    sessionKeyBytes: 1.0,
    /** Files of a segment: one in each table of schemas/columns.ts, except hot. */
    segmentTables: SEGMENT_TABLES.length,
    /** How far back the segments know event_ids, hours. */
    eventIdHours: LOOKBACK_S / 3_600,
  },

  /** Read and write units of DynamoDB. test/cost/state-requests.test.ts counts them on dynalite. */
  state: {
    /** One call of the consumer, for any number of records. */
    batch: { reads: 1 },
    claim: { reads: 2, writes: 2 },
    /**
     * Bytes of an item of open counts, which belongs to a partition, a shard and an epoch: of the item
     * itself, and of each owner, a project or its account (measured). A claim writes an item of each
     * partition that has owners of it. A fold reads the partition of its bucket, GET /stats that of its
     * account.
     */
    openCounts: { partitions: 16, headBytes: 260, ownerBytes: 31 },
    /**
     * Folding an epoch: writes for a project (all time, and the month), a read of its item for all time, and
     * writes for an account in a bucket.
     */
    fold: { project: 2, projectReads: 1, accountBucket: 1 },
    /** One tick of the scheduler without work, with items of all buckets and of their sweeps. */
    tick: { reads: 19, writes: 2 },
    /** Closing and compacting one epoch, on top of the ticks. */
    epoch: { reads: 10, writes: 5 },
    /** Deleting the superseded hot files of one epoch. */
    expiry: { reads: 2, writes: 1 },
    /** A pass of a sweep in one slice: its items, and those of the manifest of its bucket. */
    sweep: { reads: 6, writes: 2 },
    /** Sending a job, and which epochs are open, which it asks first. */
    job: { reads: 4, writes: 1 },
    /**
     * Bytes of the item that names a manifest, and of the object: of each segment that is live or was merged
     * in the last day, compressed. Pages and the lists of numbers take less. A change is read by a worker and
     * by the scheduler.
     */
    manifest: { headBytes: 150, segmentBytes: 25, readers: 2 },
    /**
     * The item that moves the watermarks of buckets without events past an epoch: of its head, and of each
     * bucket.
     */
    skippedEpochs: { headBytes: 150, bucketBytes: 16 },
    /**
     * GET /stats of a process whose caches of some seconds are over, besides the manifest, the skipped epochs
     * and the open counts. It reads the caller, the project, the project again with its context and its
     * annotations, the newest epoch, the month, and once a minute the first event. It writes the reads of the
     * account and of the project, and the audit entry.
     */
    statsRead: { reads: 8, writes: 3 },
    lookUp: { reads: 2, seconds: 5 },
    /** Requests of a token that a process reports with one write (core/limits/lagging-window.ts). */
    windowReport: 10,
    gigabytes: 0.1,
  },

  /**
   * One call of GET /stats. test/cost/read-scans.test.ts counts the statements and scans. The S3 requests of
   * a statement were measured with Trino (docs/decisions/2026-11-22-segments-and-manifests.md).
   */
  stats: {
    /**
     * With event_ids, one statement before the others finds the hot events that have copies. Mostly there are
     * none.
     */
    copyStatements: { no: 0, yes: 1 },
    /**
     * The first one has two parts (core/reports/run/packs.ts), which count the sessions and the events; the
     * second one counts people. Each part scans events_hot once.
     */
    statements: 2,
    activityScans: 2,
    sessionsScans: 1,
    /** Scans of segment_sessions before the range, and the dates that such a scan reads at most. */
    earlierSessionScans: 1,
    earlierDates: 35,
    /** Minutes from closing an epoch until its rows are in segments: one tick sends the job. */
    compactionMinutes: 1,
    /** The engine reads a file up to this size whole, with one GET. */
    wholeFileBytes: 3_000_000,
    /** The engine reads the columns of a larger file with one GET for each of these (estimated). */
    bytesPerGet: 4_000_000,
    /** Share of a large hot file that the columns of a statement take, estimated. */
    columnShare: 0.45,
    minimumBytes: 10_000_000,
    /** Share of the bytes of segment_events that the columns of a funnel take, estimated. */
    eventColumnShare: 0.5,
    glueRequests: 5,
  },

  /** The dashboard in a browser. */
  dashboard: {
    /** aws/pages-services.ts. A hidden tab asks nothing. */
    refreshSeconds: 300,
    /**
     * Statements of the overview, which is one POST /reads. test/lambdas/packed-reads.test.ts counts them.
     */
    statements: 2,
    /** Their parts, by what each one reads beside the hot files. The same test counts them. */
    parts: { sessions: 2, activity: 5, events: 3 },
    /** Reads of the call. */
    reads: 6,
    /** Hours a month that a person has it on the screen: 22 days of eight hours. */
    visibleHours: 176,
  },

  /** The live buffer and open streams. test/cost/live.test.ts counts the units again. */
  live: {
    chunkHeadBytes: 500,
    /** Bytes of an event in a chunk of many, compressed; estimated from the bytes in the lake. */
    eventBytes: 60,
    writeUnitBytes: 1_024,
    /** DynamoDB deletes an item "within a few days" of its expiry, and charges for it until then. */
    lateHours: 48,
    /** A connection of a stream ends after this time, and its client opens the next one. */
    streamSeconds: 300,
    /** Two looks a second into the buffer of a project with little traffic. */
    streamReadsPerSecond: 4,
    /**
     * A view that polls (GET /live with `after`): the pause between two requests, ms of the function, and
     * units of the table in a process whose caches are over, with few new events.
     */
    pollSeconds: 5,
    pollMs: 40,
    poll: { reads: 8, writes: 3 },
    /** The lease is renewed each minute, and taken and released for each connection. */
    streamWritesPerSecond: 1 / 60 + 2 / 300,
  },

  /**
   * Session replay. test/cost/replays.test.ts counts the units of the table again.
   * - Bytes and chunks: measured on a user of a shop of 1,165 elements a page, who moves, scrolls and clicks
   *   for five minutes and opens four pages (docs/figures.md).
   * - ms of the function: CPU time of a developer machine, doubled for Lambda, plus the requests to AWS.
   */
  replay: {
    chunksPerMinute: 6.9,
    /** Of a chunk as it is stored, and as the viewer gets it: CloudFront compresses its events again. */
    chunkBytes: 3_700,
    /** Base64 of what is compressed takes a third more. */
    encoded: 4 / 3,
    pages: 4,
    minutes: 5,
    /** Compressed size of replay.js as CloudFront sends it (brotli), measured. */
    scriptBytes: 33_000,
    /** The viewer: two documents and two scripts (51 KB with brotli), the replay, and its events. */
    viewerRequests: 6,
    viewerBytes: 60_000,
    ms: { start: 60, chunk: 70, finish: 40, view: 40 },
    /**
     * A request whose process has no project, settings and account in its caches, without the replay itself.
     */
    request: { reads: 4 },
    /** Begin and end, and each chunk, without the item of the replay. */
    ends: { reads: 4, writes: 10 },
    chunk: { writes: 3 },
    item: { headBytes: 400, chunkBytes: 90 },
    viewReads: 4,
    /** Days that a replay is stored, with the day of the lifecycle, and the day of the deleted version. */
    days: 32,
  },

  queue: { pollsPerMinute: 15, requestsPerJob: 3 },

  monitoring: {
    /** Metrics of error codes come on top, for the hours in which errors happen. */
    /**
     * A metric costs by the hour in which it has a value. A healthy lake publishes only its epoch, every six
     * hours.
     */
    metrics: 4 / 24,
    /**
     * Metrics of the alarms in lib/alarms.ts: those of every install, and the early ones of an install with
     * an address for alarms. test/cost/stack.test.ts counts them.
     */
    alarms: { main: 31, early: 15 },
    /** The option `dashboard`. */
    dashboards: 1,
    /** Access log line of a request (lib/api.ts), estimated. The functions write no line for a request. */
    requestLogBytes: 340,
    /** Log line with the scheduler's metrics of a minute. */
    tickLogBytes: 600,
    /** The lines `platform.start` and `platform.report` of a call, estimated. */
    callLogBytes: 900,
    logMonths: 1,
    /** Lambda's sampling rule: this many requests of each second, and this share of the others. */
    tracedSecond: 1,
    tracedShare: 0.05,
    wafRules: 3,
  },
} as const
