/** Every code that the service logs, with what it means. docs/operations.md tells what to do about each. */
export const logCodes = {
  STARTED: 'the service takes requests',
  STOPPED: 'the service has stopped cleanly',
  REQUEST_FAILED: 'a request ended in INTERNAL_ERROR: a defect of ours',
  REQUEST_LATE: 'a request was answered with 503 just before its function would have been cut off',
  READ_NOT_COUNTED: 'a read was answered, but the state could not be written to count it',
  STREAM_UNAVAILABLE: 'an append was refused with 503: full disk or throttled stream',
  STREAM_DAMAGED: 'the log was damaged; what could be read was kept, the file was set aside',
  RECORDS_MISSING: 'sequence numbers that were claimed are no longer in the stream',
  RECORD_QUARANTINED: 'a record could not be read; it was put aside under quarantine/',
  LAKE_BATCH_FAILED: 'a batch of the lake consumer failed and will be tried again',
  LAKE_OBJECT_DAMAGED: 'a Parquet file could not be read',
  LAKE_OBJECT_REPAIRED: 'a damaged or missing Parquet file was made anew from its finer copy',
  LAKE_OBJECT_LOST: 'a damaged or missing Parquet file cannot be made anew: its finer copy is gone',
  STATE_REPAIRED: 'the state store was damaged; it was put together again from what could be read',
  STATE_RECONCILED: 'the state table was behind the log and the lake, and was brought up to them',
  EPOCH_CLOSED: 'an epoch was closed',
  EPOCH_COMPACTED: 'an epoch went from hot to warm',
  COLD_COMPACTED: 'epochs went from warm to cold',
  AUDIT_NOT_WRITTEN: 'an entry of the audit log could not be written; the request went on',
  FEEDBACK_NOT_DELIVERED: 'feedback was stored, but the configured sink could not be reached',
  EVENT_CAPS_UNKNOWN: 'the state could not be read to check event caps; events are accepted meanwhile',
  JOB_FAILED: 'a job failed and will be tried again',
} as const

export type LogCode = keyof typeof logCodes

/**
 * The codes that tell of trouble. On AWS each is an error line and counts in a metric of its name (dimension `service`:
 * POWERTOOLS_SERVICE_NAME of the function that logs it). lib/alarms.ts watches those that lose or refuse events; the
 * others show there by what follows them: answers with 5xx, a consumer behind, a job among the dead letters.
 */
export const countedCodes = [
  'REQUEST_FAILED',
  'REQUEST_LATE',
  'STREAM_UNAVAILABLE',
  'RECORDS_MISSING',
  'RECORD_QUARANTINED',
  'LAKE_BATCH_FAILED',
  'LAKE_OBJECT_DAMAGED',
  'LAKE_OBJECT_LOST',
  'JOB_FAILED',
] as const satisfies LogCode[]

/** What the scheduler measures once a minute (core/lake/gauges.ts); its metrics have these names and units. */
export const gauges = {
  ClaimAgeSeconds: { unit: 'Seconds', meaning: 'age of the oldest claim that is open; 0 without one' },
  CompactionLagSeconds: {
    unit: 'Seconds',
    meaning: 'how long the oldest epoch that is not compacted has been closed; 0 without one',
  },
  Epoch: { unit: 'Count', meaning: 'the newest epoch; the catalog knows epochs up to a last one' },
} as const

export type Gauge = keyof typeof gauges
