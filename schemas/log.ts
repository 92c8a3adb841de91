/** Every code that the service logs, with its meaning. docs/alarms.md says what to do about each. */
export const logCodes = {
  STARTED: 'the service accepts requests',
  FOLDER_OPEN_TO_OTHERS:
    'other users of the machine may read or write the data folder, which holds credentials and what visitors did',
  KEY_FILES_STALE:
    'the owner has a new API key, and credentials.json and api-key could not be written, so they have the dead one',
  STOPPED: 'the service has stopped cleanly',
  CODE_CHANGED:
    'the files of the service were replaced while it runs, for example by `git pull` or `npm ci`; it runs the old version until it is restarted',
  STATE_KEPT: 'the state of an older edition was copied before its conversion; the copy stays for 30 days',
  STOP_CUT_OFF:
    'the stop took too long and was cut off; nothing that was acknowledged is lost, and the next start continues',
  PROXY_NOT_TRUSTED:
    'all visitors look like one caller, because a proxy or the bridge of a container stands before the service; logged once, with the setting',
  REQUEST_FAILED: 'a request ended in INTERNAL_ERROR, because of a bug',
  REQUEST_LATE: 'a request got 503 just before the timeout of its function',
  CONNECTIONS_CLOSED:
    'clients have more connections open than the service takes, so it has closed idle ones; logged once a minute',
  TIMER_FAILED: 'a task that runs at intervals or after a time failed; the service goes on',
  READ_NOT_COUNTED: 'a read succeeded, but the state table did not count it',
  STREAM_UNAVAILABLE: 'an append failed with 503: the disk is full or the stream is throttled',
  DISK_RESERVE_REACHED:
    'tracking gets 503, because the disk has only the room that acknowledged events need on their way into the lake',
  DISK_RESERVE_FREE: 'the disk has room again, and tracking accepts events',
  REPLAY_RESERVE_REACHED:
    'chunks of replays get 503, because the rest of the disk is left to events, which are accepted',
  REPLAY_RESERVE_FREE: 'the disk has room again, and chunks of replays are accepted',
  DEMO_UNFINISHED: 'the demo project is not filled yet, for example because the disk is full',
  STREAM_DAMAGED:
    'the event log was damaged; all readable records were kept and the damaged file was set aside',
  STREAM_BEHIND:
    'the event log ends before the lake: it was cut or is an older copy; later events that only it had are lost',
  EVENTS_LOST: 'the event log ended before its last acknowledged record, so acknowledged events are lost',
  RECORDS_MISSING: 'the stream no longer has some records of a claim',
  RECORD_QUARANTINED: 'a record could not be read and was moved to quarantine/',
  RECORD_WAITING: 'a record of a newer version was kept under waiting/ until this service is updated',
  RECORD_TAKEN_BACK: 'records that were set aside can be read now, and were appended to the stream again',
  LAKE_BATCH_FAILED: 'a batch of the lake consumer failed and will be tried again',
  LIVE_BATCH_FAILED:
    'a batch of the live consumer failed; after a few tries its events are missing in live reads only',
  LIVE_READ_FAILED: 'open streams could not read the live buffer and will try again',
  STREAM_NOT_RELEASED: 'a closed stream still counts toward the limit of its account, for at most 150 s',
  QUERY_ENGINE_BROKEN:
    'an internal error of DuckDB closed the query engine; the engine was opened again, and the statement ran once more if `retried` is true',
  LAKE_OBJECT_DAMAGED: 'a Parquet file or a manifest of the lake could not be read',
  LAKE_OBJECT_FOREIGN: 'an object of the lake has no name of ours; it is left alone and read by nobody',
  LAKE_OBJECT_REPAIRED:
    'a damaged or missing Parquet file was written again from its superseded files, or a manifest can be read again',
  LAKE_OBJECT_LOST:
    'a damaged or missing Parquet file cannot be written again: its superseded files are deleted',
  STATE_REPAIRED: 'the state table was damaged and was repaired from its readable parts',
  STATE_RECONCILED: 'the state table was behind the event log and the lake, and was updated from them',
  LAKE_RESTORED:
    'lake and state were of different times; the manifests name what is there, and records of the log were taken into the lake again',
  LAKE_BEHIND: 'files of the lake are missing, and neither other files nor the log have their events',
  RETENTION_RAISED:
    'the stream keeps its records longer, because the lake consumer has not read the oldest for six hours',
  RETENTION_LOWERED:
    'the stream keeps its records as long as before, because the lake consumer has read them',
  PACK_FAILED: 'on AWS a statement in the place of several failed, so each of these ran alone',
  SMALL_READ_FAILED: 'DuckDB could not answer a small read, so Athena answered it',
  EPOCH_CLOSED: 'an epoch was closed',
  EPOCH_COMPACTED: 'the events of an epoch are in segments',
  SEGMENTS_MERGED: 'small segments of a bucket were merged into a larger one',
  SEGMENT_REWRITTEN: 'a segment was written anew without erased events',
  HOT_FILES_REWRITTEN: 'compacted hot files were written anew without erased events',
  SHARD_RETIRED: 'the stream no longer has a shard, and nothing needs it any more',
  ERASURE_DONE: 'no file of the lake has the events of an erasure any more',
  SIGN_IN_MAIL_FAILED: 'the mail server of SMTP_URL did not take the e-mail with a code for a sign-in',
  AUDIT_NOT_WRITTEN: 'an entry of the audit log could not be written; the request went on',
  FEEDBACK_NOT_DELIVERED: 'feedback was stored, but the configured sink could not be reached',
  EVENT_CAPS_UNKNOWN: 'the state could not be read to check event caps; events are accepted meanwhile',
  SCAN_BROKEN: 'a website analysis failed because of a bug; its caller got SCAN_FAILED',
  SCAN_POLISHED: 'a text model has worded sentences of a website analysis, with the tokens that it used',
  SCAN_NOT_POLISHED:
    'a text model failed or answered with what must not be used; the analysis has the words of the rules',
  JOB_FAILED: 'a job failed and will be tried again',
} as const

export type LogCode = keyof typeof logCodes

/**
 * The codes of failures. On AWS each is an error line and counts in a metric of its name; the dimension
 * `service` is the name of the function that logs it. lib/alarms.ts has alarms for the codes that lose or
 * reject events. The other codes cause 5xx responses, a consumer that is behind, or dead letters, which have
 * their own alarms.
 */
export const countedCodes = [
  'REQUEST_FAILED',
  'REQUEST_LATE',
  'STREAM_UNAVAILABLE',
  'RECORDS_MISSING',
  'RECORD_QUARANTINED',
  'LAKE_BATCH_FAILED',
  'LIVE_BATCH_FAILED',
  'QUERY_ENGINE_BROKEN',
  'LAKE_OBJECT_DAMAGED',
  'LAKE_OBJECT_LOST',
  'JOB_FAILED',
] as const satisfies LogCode[]

/**
 * Metrics that the scheduler measures once a minute (core/lake/model/gauges.ts). It publishes an age only
 * from ten minutes on, and the size of a manifest from half of its bound on.
 */
export const gauges = {
  ClaimAgeSeconds: { unit: 'Seconds', meaning: 'age of the oldest open claim; 0 without one' },
  CompactionLagSeconds: {
    unit: 'Seconds',
    meaning: 'time since the oldest epoch was closed that some bucket has not compacted; 0 without one',
  },
  ManifestBytes: { unit: 'Bytes', meaning: 'size of the largest manifest of a bucket' },
  Epoch: {
    unit: 'Count',
    meaning: 'the newest epoch; the catalog knows 20,000 epochs from the option firstEpoch on',
  },
} as const

export type Gauge = keyof typeof gauges
