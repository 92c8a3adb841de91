import type { RecordedEvent } from '#core/ingest/record'

/** An event whose properties are still the JSON text that ingestion wrote. */
export type RawEvent = { event: RecordedEvent; propertiesJson: string | null }

/** Characters of the first event from which on the events of a record are read as text. */
const WIDE_CHARS = 2_000

const EVENT_START = '{"event":'
const PROPERTIES_START = ',"properties":'
const [QUOTE, COMMA, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  ...['"', ',', '\\', '[', ']', '{', '}'].map(char => char.charCodeAt(0)),
] as [number, number, number, number, number, number, number]

/**
 * Reads the events of a record without parsing their properties. For events of hundreds of keys, parsing and
 * writing them takes ten times as long. Null for small events, which are faster parsed, and for a text of
 * another form than writeEvent of core/ingest/record.ts gives it.
 */
export function readRawEvents(eventsJson: string): RawEvent[] | null {
  const events: RawEvent[] = []
  for (let at = 1; ; ) {
    const propertiesAt = startOfProperties(eventsJson, at)
    if (propertiesAt === null) return null
    const propertiesEnd = endOfValue(eventsJson, propertiesAt)
    const end = endOfNested(eventsJson, propertiesEnd, 1)
    if (events.length === 0 && end - at < WIDE_CHARS) return null
    const propertiesJson = eventsJson.slice(propertiesAt, propertiesEnd)
    const event = JSON.parse(
      `${eventsJson.slice(at, propertiesAt)}null${eventsJson.slice(propertiesEnd, end)}`,
    )
    events.push({ event, propertiesJson: propertiesJson === 'null' ? null : propertiesJson })
    if (eventsJson.charCodeAt(end) !== COMMA) return end === eventsJson.length - 1 ? events : null
    at = end + 1
  }
}

function startOfProperties(text: string, at: number): number | null {
  if (!text.startsWith(`${EVENT_START}"`, at)) return null
  const end = endOfText(text, at + EVENT_START.length)
  if (!text.startsWith(PROPERTIES_START, end)) return null
  const start = end + PROPERTIES_START.length
  return text.startsWith('null', start) || text.charCodeAt(start) === OPEN_OBJECT ? start : null
}

/**
 * Calls `take` with the key and the value of each property of an object, as JSON. Returns the JSON of those
 * that `take` does not take. The object is written without blanks.
 */
export function splitRawObject(json: string, take: (key: string, valueJson: string) => boolean): string {
  let rest = ''
  let keptFrom = 1
  for (let at = 1; json.charCodeAt(at) === QUOTE; ) {
    const keyEnd = endOfText(json, at)
    const end = endOfValue(json, keyEnd + 1)
    const next = json.charCodeAt(end) === COMMA ? end + 1 : end
    if (take(json.slice(at + 1, keyEnd - 1), json.slice(keyEnd + 1, end))) {
      rest += json.slice(keptFrom, at)
      keptFrom = next
    }
    at = next
  }
  if (keptFrom === 1) return json
  rest += json.slice(keptFrom, -1)
  return `{${rest.endsWith(',') ? rest.slice(0, -1) : rest}}`
}

/** The index after the value that begins at `at`. */
function endOfValue(json: string, at: number): number {
  const first = json.charCodeAt(at)
  if (first === QUOTE) return endOfText(json, at)
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfNested(json, at + 1, 1)
  for (let i = at; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === COMMA || char === CLOSE_OBJECT || char === CLOSE_LIST) return i
  }
  throw new SyntaxError('a value has no end')
}

/** The index after the end of the object or list that is open at `at`, at this depth. */
function endOfNested(json: string, at: number, openDepth: number): number {
  let depth = openDepth
  for (let i = at; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === QUOTE) i = endOfText(json, i) - 1
    else if (char === OPEN_OBJECT || char === OPEN_LIST) depth += 1
    else if (char === CLOSE_OBJECT || char === CLOSE_LIST) {
      depth -= 1
      if (depth === 0) return i + 1
    }
  }
  throw new SyntaxError('an object has no end')
}

/** The index after the text that begins with the quote at `at`. */
function endOfText(json: string, at: number): number {
  for (let i = json.indexOf('"', at + 1); i !== -1; i = json.indexOf('"', i + 1)) {
    let before = i - 1
    while (json.charCodeAt(before) === BACKSLASH) before -= 1
    if ((i - before) % 2 === 1) return i + 1
  }
  throw new SyntaxError('a text has no end')
}
