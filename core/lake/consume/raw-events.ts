import { endOfNested, endOfText, endOfValue } from '#core/ingest/json-scan'
import type { RecordedEvent } from '#core/ingest/record'

/** The value of a property that has a column. */
export type ColumnValue = string | number

/** An event whose properties were not parsed. */
export type RawEvent = {
  event: RecordedEvent
  columns: readonly (readonly [name: string, value: ColumnValue])[]
  /**
   * The other properties as the JSON that ingestion wrote, in UTF-8; null for an event without properties.
   */
  propertiesJson: Buffer | null
}

/** The properties that have columns. */
export type RawColumns = {
  names: Names
  /** The value for the column of this name; undefined if there is none for such a value. */
  valueFor(name: string, json: string): ColumnValue | undefined
}

/** Bytes of the first event from which on the events of a record are read as text. */
const WIDE_BYTES = 2_000

const EVENT_START = Buffer.from('{"event":')
const PROPERTIES_START = Buffer.from(',"properties":')
const NULL = Buffer.from('null')
const [QUOTE, COMMA, OPEN_OBJECT] = [0x22, 0x2c, 0x7b]

/**
 * Reads the events of a record without parsing their properties. For events of hundreds of keys, parsing and
 * writing them takes ten times as long. Null for small events, which are faster parsed, and for a text of
 * another form than eventJson of core/ingest/record.ts gives it.
 */
export function readRawEvents(eventsJson: Buffer, columns: RawColumns): RawEvent[] | null {
  const events: RawEvent[] = []
  for (let at = 1; ; ) {
    const propertiesAt = startOfProperties(eventsJson, at)
    if (propertiesAt === null) return null
    if (events.length === 0 && endOfValue(eventsJson, at) - at < WIDE_BYTES) return null
    const properties =
      eventsJson[propertiesAt] === OPEN_OBJECT
        ? splitProperties(eventsJson, propertiesAt, columns)
        : { end: propertiesAt + NULL.length, columns: [], propertiesJson: null }
    const end = endOfNested(eventsJson, properties.end, 1)
    const [before, after] = [eventsJson.subarray(at, propertiesAt), eventsJson.subarray(properties.end, end)]
    const { columns: values, propertiesJson } = properties
    events.push({ event: JSON.parse(`${before}null${after}`), columns: values, propertiesJson })
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
 * Reads the object at `start`, which has no blanks, once: the properties that have columns, the JSON of the
 * others, and where it ends.
 */
function splitProperties(json: Buffer, start: number, { names, valueFor }: RawColumns) {
  const columns: [string, ColumnValue][] = []
  const kept: Buffer[] = []
  let keptFrom = start
  let at = start + 1
  while (json[at] === QUOTE) {
    const keyEnd = endOfText(json, at)
    const end = endOfValue(json, keyEnd + 1)
    const next = json[end] === COMMA ? end + 1 : end
    if (names.mayHave(json[at + 1] as number, keyEnd - at - 2)) {
      const name = json.toString('utf8', at + 1, keyEnd - 1)
      const value = valueFor(name, json.toString('utf8', keyEnd + 1, end))
      if (value !== undefined) {
        columns.push([name, value])
        kept.push(json.subarray(keptFrom, at))
        keptFrom = next
      }
    }
    at = next
  }
  const end = at + 1
  const last = json.subarray(keptFrom, end)
  return { end, columns, propertiesJson: kept.length === 0 ? last : joinKept([...kept, last]) }
}

/** Without the last property the comma before it stays. */
function joinKept(parts: readonly Buffer[]): Buffer {
  const json = Buffer.concat(parts)
  const last = json.length - 2
  if (json[last] !== COMMA) return json
  json[last] = json[last + 1] as number
  return json.subarray(0, -1)
}

/** A set of names that rules out most others by their first character and their length. */
export type Names = { mayHave(first: number, length: number): boolean }

/** `names` are ASCII. */
export function namesOf(names: readonly string[]): Names {
  // By length, a bit for each first character.
  const firsts = new Int32Array(Math.max(0, ...names.map(name => name.length)) + 1)
  for (const name of names) firsts[name.length] = (firsts[name.length] as number) | bitOf(name.charCodeAt(0))
  return { mayHave: (first, length) => ((firsts[length] ?? 0) & bitOf(first)) !== 0 }
}

/** Five bits of a character choose one of 32. */
function bitOf(char: number): number {
  return 1 << (char & 31)
}
