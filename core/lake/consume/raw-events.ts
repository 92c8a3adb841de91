import { endOfNested, endOfText, endOfValue } from '#core/ingest/json-scan'
import type { RecordedEvent } from '#core/ingest/record'

/** An event whose properties are still the JSON that ingestion wrote, in UTF-8. */
export type RawEvent = { event: RecordedEvent; propertiesJson: Buffer | null }

/** Bytes of the first event from which on the events of a record are read as text. */
const WIDE_BYTES = 2_000

const EVENT_START = Buffer.from('{"event":')
const PROPERTIES_START = Buffer.from(',"properties":')
const NULL = Buffer.from('null')
const [QUOTE, COMMA, OPEN_OBJECT] = [0x22, 0x2c, 0x7b]

/**
 * Reads the events of a record without parsing their properties. For events of hundreds of keys, parsing and
 * writing them takes ten times as long. Null for small events, which are faster parsed, and for a text of
 * another form than writeEvent of core/ingest/record.ts gives it.
 */
export function readRawEvents(eventsJson: Buffer): RawEvent[] | null {
  const events: RawEvent[] = []
  for (let at = 1; ; ) {
    const propertiesAt = startOfProperties(eventsJson, at)
    if (propertiesAt === null) return null
    const propertiesEnd = endOfValue(eventsJson, propertiesAt)
    const end = endOfNested(eventsJson, propertiesEnd, 1)
    if (events.length === 0 && end - at < WIDE_BYTES) return null
    const [before, after] = [eventsJson.subarray(at, propertiesAt), eventsJson.subarray(propertiesEnd, end)]
    const properties = eventsJson.subarray(propertiesAt, propertiesEnd)
    events.push({
      event: JSON.parse(`${before}null${after}`),
      propertiesJson: properties.equals(NULL) ? null : properties,
    })
    if (eventsJson[end] !== COMMA) return end === eventsJson.length - 1 ? events : null
    at = end + 1
  }
}

function startOfProperties(json: Buffer, at: number): number | null {
  const nameAt = at + EVENT_START.length
  if (!startsWith(json, EVENT_START, at) || json[nameAt] !== QUOTE) return null
  const end = endOfText(json, nameAt)
  if (!startsWith(json, PROPERTIES_START, end)) return null
  const start = end + PROPERTIES_START.length
  return startsWith(json, NULL, start) || json[start] === OPEN_OBJECT ? start : null
}

function startsWith(json: Buffer, start: Buffer, at: number): boolean {
  return json.subarray(at, at + start.length).equals(start)
}

/**
 * Calls `take` with the key and the value of each property of an object whose key may be one of `names`, as
 * JSON. Returns the JSON of the properties that `take` does not take. The object is written without blanks.
 */
export function splitRawObject(
  json: Buffer,
  names: Names,
  take: (key: string, valueJson: string) => boolean,
): Buffer {
  const kept: Buffer[] = []
  let keptFrom = 1
  for (let at = 1; json[at] === QUOTE; ) {
    const keyEnd = endOfText(json, at)
    const end = endOfValue(json, keyEnd + 1)
    const next = json[end] === COMMA ? end + 1 : end
    if (
      names.mayHave(json[at + 1] as number, keyEnd - at - 2) &&
      take(json.toString('utf8', at + 1, keyEnd - 1), json.toString('utf8', keyEnd + 1, end))
    ) {
      kept.push(json.subarray(keptFrom, at))
      keptFrom = next
    }
    at = next
  }
  if (keptFrom === 1) return json
  const rest = Buffer.concat([json.subarray(0, 1), ...kept, json.subarray(keptFrom)])
  // Without the last property the comma before it stays.
  const last = rest.length - 2
  if (rest[last] !== COMMA) return rest
  rest[last] = rest[last + 1] as number
  return rest.subarray(0, -1)
}

/** A set of names that rules out most others by their first character and their length. */
export type Names = { mayHave(first: number, length: number): boolean }

/** `names` are ASCII. */
export function namesOf(names: Iterable<string>): Names {
  // By length, a bit for each first character.
  const firsts = new Int32Array(Math.max(0, ...[...names].map(name => name.length)) + 1)
  for (const name of names) firsts[name.length] = (firsts[name.length] as number) | bitOf(name.charCodeAt(0))
  return { mayHave: (first, length) => ((firsts[length] ?? 0) & bitOf(first)) !== 0 }
}

/** Five bits of a character choose one of 32. */
function bitOf(char: number): number {
  return 1 << (char & 31)
}
