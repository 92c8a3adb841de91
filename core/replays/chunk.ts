import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ApiError } from '#core/errors'
import { excessOf } from '#schemas/json-depth'
import {
  MAX_CHUNK_DEPTH,
  MAX_CHUNK_EVENTS,
  MAX_CHUNK_JSON_BYTES,
  MAX_CHUNK_VALUES,
  MOST_COMPRESSION,
  type UploadChunk,
} from '#schemas/replays'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** A chunk as it is stored: its events as JSON, compressed, and what the record says of them. */
export type PackedChunk = {
  bytes: Uint8Array
  /** Bytes that it counts for its replay: what is stored, or a part of its JSON (MOST_COMPRESSION). */
  size: number
  event_count: number
  has_full_snapshot: boolean
  /** The earliest and the latest time of its events, Unix ms. */
  from: number
  to: number
  /** The first 16 hexadecimal digits of the SHA-256 of its JSON. */
  hash: string
}

/** rrweb's type of a full snapshot, and the highest type. */
const FULL_SNAPSHOT = 2
const LAST_TYPE = 6
/** A time that JavaScript can write as a date. */
const MAX_TIME = 8_640_000_000_000_000

type Event = { type: number; timestamp: number; data?: unknown }

/**
 * Checks the events of a chunk and compresses them. Whatever compression the recorder has used, the events
 * are read and written anew, so a stored chunk is always a list of events. `checkTimes` throws for times that
 * its replay cannot have. Throws INVALID_BODY, or PAYLOAD_TOO_LARGE for events of more than
 * MAX_CHUNK_JSON_BYTES.
 */
export async function packChunk(
  upload: Pick<UploadChunk, 'events' | 'gzip'>,
  checkTimes: (from: number, to: number) => void,
): Promise<PackedChunk> {
  const events = upload.events ?? (await readCompressed(upload.gzip ?? ''))
  if (!events.every(isEvent)) {
    throw new ApiError(
      'INVALID_BODY',
      `Each event needs \`type\` (0 to ${LAST_TYPE}), \`timestamp\` (Unix ms) and \`data\`, as the recorder makes them. Send the chunk as the recorder made it.`,
    )
  }
  const times = events.map(({ timestamp }) => timestamp)
  const [from, to] = [times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b))]
  // Before the work on its bytes.
  checkTimes(from, to)
  const json = Buffer.from(JSON.stringify(events))
  if (json.length > MAX_CHUNK_JSON_BYTES) throw tooLarge()
  const bytes = await compress(json)
  return {
    bytes,
    size: Math.max(bytes.length, Math.ceil(json.length / MOST_COMPRESSION)),
    event_count: events.length,
    has_full_snapshot: events.some(({ type }) => type === FULL_SNAPSHOT),
    from,
    to,
    hash: createHash('sha256').update(json).digest('hex').slice(0, 16),
  }
}

/** The events of a stored chunk as JSON, or null if the object is damaged. */
export async function unpackChunk(bytes: Uint8Array): Promise<Buffer | null> {
  return decompress(bytes, { maxOutputLength: MAX_CHUNK_JSON_BYTES }).catch(() => null)
}

async function readCompressed(base64: string): Promise<unknown[]> {
  const events = parse(await inflate(Buffer.from(base64, 'base64')))
  if (Array.isArray(events) && events.length > 0 && events.length <= MAX_CHUNK_EVENTS) return events
  throw new ApiError(
    'INVALID_BODY',
    `Field \`gzip\` must hold a list of 1 to ${MAX_CHUNK_EVENTS} events as JSON. Send the list compressed with gzip, in base64.`,
  )
}

/** A small body may unpack to gigabytes, so unpacking ends at the limit. */
async function inflate(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: MAX_CHUNK_JSON_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new ApiError('INVALID_BODY', 'Field `gzip` is not gzip in base64. Send the chunk again.')
  }
}

function parse(json: Buffer): unknown {
  const excess = excessOf(json, { levels: MAX_CHUNK_DEPTH, values: MAX_CHUNK_VALUES })
  if (excess !== null) throw new ApiError('INVALID_BODY', EXCESSES[excess])
  try {
    return JSON.parse(json.toString())
  } catch {
    return null
  }
}

const EXCESSES = {
  levels: `The events have more than ${MAX_CHUNK_DEPTH} objects and lists inside each other. Send events of a flatter page.`,
  values: `The events have more than ${MAX_CHUNK_VALUES} values. Send smaller chunks.`,
} as const

function isEvent(event: unknown): event is Event {
  if (typeof event !== 'object' || event === null) return false
  const { type, timestamp } = event as Record<string, unknown>
  const isType = Number.isInteger(type) && (type as number) >= 0 && (type as number) <= LAST_TYPE
  return isType && typeof timestamp === 'number' && timestamp >= 0 && timestamp <= MAX_TIME
}

function tooLarge(): ApiError {
  return new ApiError(
    'PAYLOAD_TOO_LARGE',
    `The events of a chunk have at most ${MAX_CHUNK_JSON_BYTES} bytes as JSON. Send smaller chunks.`,
  )
}
