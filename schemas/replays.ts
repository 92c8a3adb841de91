import * as z from 'zod'
import { wholeNumber } from './fields.ts'

/** Session replay (docs/api/replays.md). */

/** What one recording may be at most; a recording is deleted after the retention. */
export const REPLAY_LIMITS = { max_bytes: 2_097_152, max_duration_ms: 900_000, retention_days: 30 } as const

/** The prefix of all replays in the bucket or folder of the lake. No read of the lake lists it. */
export const REPLAY_PREFIX = 'replays/'

/** Chunks of one replay: each has an attribute in the item of the replay, about 100 bytes. */
export const MAX_CHUNKS = 400
/** Events of one chunk, and bytes of its events as JSON: a chunk is unpacked in memory. */
export const MAX_CHUNK_EVENTS = 20_000
export const MAX_CHUNK_JSON_BYTES = 4 * 1_048_576
/**
 * Objects, lists and what stands in them, of one chunk. Events of real pages have 7 to 15 bytes of JSON for
 * each, moves of a pointer included; `[],[],` has three, which takes JSON.parse a second.
 */
export const MAX_CHUNK_VALUES = 500_000
/**
 * A replay counts a chunk as this part of its JSON at least, whatever it is compressed to. Pages compress to
 * a tenth; 4 MiB that compress to 5 KB would be read 400 times for the bytes of one replay.
 */
export const MOST_COMPRESSION = 32
/**
 * Deepest JSON of a chunk. The recorder sends its snapshot in flat parts: 12 levels for a page of 512
 * elements inside each other, the most that the parser of a browser makes. A snapshot in one piece is allowed
 * too, as rrweb writes it: two levels for each element, for the 512 that the viewer shows and as many again.
 * JSON.stringify fails at about 4,450.
 */
export const MAX_CHUNK_DEPTH = 2_000

export const RECORDING_STARTS = ['immediate', 'after_consent'] as const

const SELECTORS = { max: 20, maxChars: 200 } as const

function selectors(name: string) {
  const rule = `Field \`${name}\` must be a list of at most ${SELECTORS.max} CSS selectors of 1 to ${SELECTORS.maxChars} characters.`
  const selector = z
    .string(rule)
    .trim()
    .min(1, rule)
    .max(SELECTORS.maxChars, rule)
    // A selector has none of these; they would end a rule or an element where somebody pastes it.
    .regex(/^[^{}<]*$/, `Field \`${name}\` has a selector with \`{\`, \`}\` or \`<\`. Send selectors only.`)
  return z.array(selector, rule).max(SELECTORS.max, rule).optional()
}

function mandatory(name: string) {
  const rule = `Field \`${name}\` must be true or absent: recordings are always masked.`
  return z.literal(true, rule).optional()
}

const PROJECT = z.string().meta({ description: "The project's name or id", example: 'demo' })

/** An absent field keeps its value. */
export const updateReplaySettings = z.object({
  project: PROJECT,
  enabled: z.boolean('Field `enabled` must be true or false.').optional(),
  recording_start: z
    .enum(RECORDING_STARTS, 'Field `recording_start` must be `immediate` or `after_consent`.')
    .optional()
    .meta({ description: '`after_consent`: the page calls aaReplay.consent() first' }),
  mask_inputs: mandatory('mask_inputs'),
  redact_pii: mandatory('redact_pii'),
  mask_text: z
    .boolean('Field `mask_text` must be true or false.')
    .optional()
    .meta({ description: 'Masks every text of the page' }),
  mask_selectors: selectors('mask_selectors'),
  block_selectors: selectors('block_selectors'),
  ignore_selectors: selectors('ignore_selectors'),
})

const replaySettings = z
  .object({
    enabled: z.boolean(),
    recording_start: z.enum(RECORDING_STARTS),
    mask_inputs: z.literal(true),
    redact_pii: z.literal(true),
    mask_text: z.boolean(),
    mask_selectors: z.array(z.string()),
    block_selectors: z.array(z.string()),
    ignore_selectors: z.array(z.string()),
  })
  .meta({ id: 'ReplaySettings' })

export type ReplaySettings = z.infer<typeof replaySettings>

const replayLimits = z
  .object({ max_bytes: z.int(), max_duration_ms: z.int(), retention_days: z.int() })
  .meta({ id: 'ReplayLimits' })

export const replaySettingsQuery = z.object({ project: PROJECT })

const settingsOfProject = { project: z.string(), settings: replaySettings, limits: replayLimits }
export const readReplaySettings = z.object(settingsOfProject)
export const changedReplaySettings = z.object({ ok: z.literal(true), ...settingsOfProject })

export const replayConfigQuery = z.object({
  token: z
    .string('Parameter `token` must be the token of a project (aat_…).')
    .meta({ description: "The project's public token, aat_…" }),
})

/** What the recorder needs to know before it records. */
export const replayConfig = z.looseObject({ enabled: z.boolean() }).meta({ id: 'ReplayConfig' })

const TEXT = 256
const SESSION_RULE = `Field \`session_id\` must be a text of 1 to ${TEXT} characters.`
const USER_RULE = `Field \`user_id\` must be a text of 1 to ${TEXT} characters.`
const START_RULE = 'Field `start_id` must have 16 to 64 letters, digits, `-` and `_`, random for each replay.'
const STARTED_RULE = 'Field `started_at` must be a time in Unix milliseconds.'
const URL_RULE = 'Field `url` must be the address of the page, of at most 4096 characters.'

/**
 * An id of a session or user. Lone surrogates become U+FFFD, as in events: DynamoDB refuses them in a key.
 * `toWellFormed` does the same, but the browsers that the dashboard is compiled for may not have it.
 */
function eventId(rule: string) {
  return z
    .string(rule)
    .min(1, rule)
    .max(TEXT, rule)
    .overwrite(text => text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

const upload = { token: z.string(), session_id: eventId(SESSION_RULE) }
const userId = eventId(USER_RULE).optional()

export const startReplay = z.object({
  ...upload,
  start_id: z.string(START_RULE).regex(/^[\w-]{16,64}$/, START_RULE),
  user_id: userId,
  url: z.string(URL_RULE).max(4_096, URL_RULE).optional(),
  started_at: z.int(STARTED_RULE).min(0, STARTED_RULE),
})

export type StartReplay = z.output<typeof startReplay>

export const startedReplay = z.object({
  ok: z.literal(true),
  replay_id: z.string(),
  limits: replayLimits,
})

const INDEX_RULE = `Field \`index\` must be a whole number from 0 to ${MAX_CHUNKS - 1}.`
const EVENTS_RULE = `Field \`events\` must be a list of 1 to ${MAX_CHUNK_EVENTS} events of the recorder.`
const GZIP_RULE = 'Field `gzip` must be the list of events as JSON, compressed with gzip, in base64.'

export const uploadChunk = z
  .object({
    ...upload,
    index: z
      .int(INDEX_RULE)
      .min(0, INDEX_RULE)
      .max(MAX_CHUNKS - 1, INDEX_RULE),
    user_id: userId,
    events: z
      .array(z.unknown(), EVENTS_RULE)
      .min(1, EVENTS_RULE)
      .max(MAX_CHUNK_EVENTS, EVENTS_RULE)
      .optional(),
    gzip: z.string(GZIP_RULE).min(1, GZIP_RULE).optional(),
  })
  .refine(
    ({ events, gzip }) => (events === undefined) !== (gzip === undefined),
    'Send the events of the chunk once: as `events` or as `gzip`.',
  )

export type UploadChunk = z.output<typeof uploadChunk>

export const storedChunk = z.object({ ok: z.literal(true), stored: z.boolean() })

export const finishReplay = z.object({
  ...upload,
  chunks: z
    .int('Field `chunks` must be the number of chunks of the replay.')
    .min(0, 'Field `chunks` must be the number of chunks of the replay.')
    .max(MAX_CHUNKS, `Field \`chunks\` must be at most ${MAX_CHUNKS}.`),
  left: z
    .boolean('Field `left` must be true or false.')
    .optional()
    .meta({ description: 'The page was left. A later page of the tab may go on' }),
})

export type FinishReplay = z.output<typeof finishReplay>

export const finishedReplay = z.object({ ok: z.literal(true) })

export const replaysQuery = z.object({
  project: PROJECT.optional(),
  session_id: z.string(SESSION_RULE).max(TEXT, SESSION_RULE).optional(),
  limit: wholeNumber('limit', 1, 100).default(20),
  before: z.string().optional().meta({ description: 'The previous response’s `next_before`' }),
})

export const REPLAY_STATUSES = ['recording', 'complete', 'incomplete'] as const

const record = {
  id: z.string(),
  status: z.enum(REPLAY_STATUSES).meta({ description: 'incomplete: a part never arrived' }),
  project_id: z.string(),
  analytics_session_id: z.string(),
  started_at: z.int(),
  committed_bytes: z.int(),
  event_count: z.int(),
  has_full_snapshot: z.boolean().meta({ description: 'Without one the replay cannot be played' }),
  duration_ms: z.int(),
  user_id: z.string().nullable(),
  entry_page: z.string().nullable(),
}

const replayRecord = z.object(record).meta({ id: 'Replay' })
export type ReplayRecord = z.infer<typeof replayRecord>

export const replayList = z.object({ replays: z.array(replayRecord), next_before: z.string().nullable() })

const replayChunk = z.object({
  index: z.int(),
  bytes: z.int(),
  event_count: z.int(),
  from: z.int(),
  to: z.int(),
})
export type ReplayChunk = z.infer<typeof replayChunk>

export const oneReplay = z.intersection(replayRecord, z.object({ chunks: z.array(replayChunk) }))

export const openedReplay = z.object({
  viewer_url: z.string().meta({ description: 'A secret: who has it can watch this replay for an hour' }),
  expires_at: z.int(),
})

export const DELETE_ALL = 'delete_replay_data'
const CONFIRM_RULE = `Field \`confirm\` must be \`${DELETE_ALL}\`: this deletes all replays for ever and stops recording.`

export const deleteReplays = z.object({
  confirm: z.literal(DELETE_ALL, CONFIRM_RULE),
  project: PROJECT.optional(),
})

export const deletedReplays = z.object({
  ok: z.literal(true),
  deleted: z.int(),
  project: z.string().optional(),
})

const limitBytes = z.int().meta({ description: '-1: no limit' })

export const replayUsage = z.object({
  storage: z.object({ committed_bytes: z.int(), reserved_bytes: z.int(), limit_bytes: limitBytes }),
  rolling_30d_ingestion: z.object({ observed_bytes: z.int(), limit_bytes: limitBytes }),
})

const SECRET_RULE = 'Field `secret` must be the part of the viewer address after `#`.'
const viewer = { secret: z.string(SECRET_RULE).max(128, SECRET_RULE) }
export const viewReplay = z.object(viewer)
export const viewChunk = z.object({ ...viewer, index: z.int(INDEX_RULE).min(0, INDEX_RULE) })
export const viewedReplay = z.object({
  replay: oneReplay,
  expires_at: z.int(),
})

/** Events of the session that the viewer shows at most. */
export const MAX_VIEWED_EVENTS = 500

const sessionEvent = z.object({ timestamp: z.int(), event: z.string(), path: z.string().nullable() })
export type SessionEvent = z.infer<typeof sessionEvent>

/** The events of the session in the time of the replay. `truncated`: there are more; the oldest are shown. */
export const viewedEvents = z.object({
  events: z.array(sessionEvent),
  truncated: z.literal(true).optional(),
})
