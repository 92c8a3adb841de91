import { arrivalLag, arrivalLagMs } from '#core/ingest/ids'
import { type EventsRecord, isEmptyEvent, type RecordedEvent, type UnparsedRecord } from '#core/ingest/record'
import type { EventTimes } from '#core/usage/counters'
import { timesOf } from '#core/usage/event-times'
import { type ColumnOf, type ColumnType, propertyColumns } from '#schemas/columns'
import { eventKey, shortKey } from './id-keys.ts'
import { type ColumnValue, namesOf, type RawColumns, type RawEvent, readRawEvents } from './raw-events.ts'

/**
 * A column of texts: the distinct texts, and for each row the number of its text; -1 for null. Wide
 * properties are UTF-8 and not compared. `last` is the text that was added last: most columns repeat it, and
 * to compare is faster than to look up.
 */
export type TextColumn = {
  texts: (string | Buffer)[]
  numbers: Int32Array
  numberOf: Map<string, number>
  last: { text: string | null; number: number }
}
/** A column of whole numbers that a double holds. NaN is null. */
export type IntegerColumn = { values: Float64Array }
/** A column of whole numbers from 0 to 2^63 - 1. -1 is null. */
export type LongColumn = { longs: BigInt64Array }

export type HotColumn = TextColumn | IntegerColumn | LongColumn
type HotName = ColumnOf<'events_hot'>

/**
 * The rows of a hot file, column by column. Nothing but the distinct texts and some numbers lives longer than
 * the record that a row comes from. As objects the rows of a claim are twenty times as large, and half of the
 * consumer's time goes into moving them to old memory.
 */
export type HotColumns = {
  /** Adds a row for each event of a record, without erased events. If it throws, nothing is added. */
  add(record: EventsRecord): void
  /**
   * The same for a record whose events are JSON text. Returns the number of its events, their times, and
   * whether one has an event_id.
   */
  addUnparsed(record: UnparsedEvents): { events: number; times: EventTimes | null; hasEventIds: boolean }
  rowCount(): number
  /** The columns with a value in some row. The keys of ids are computed from the texts here. */
  columns(): ReadonlyMap<HotName, HotColumn>
}

/** A record of events as unpackUnparsed of core/ingest/record.ts returns it. */
export type UnparsedEvents = Extract<UnparsedRecord, { kind: 'events' }>
type Head = Omit<EventsRecord, 'events'>

const FIRST_ROWS = 1_024

export function createHotColumns(): HotColumns {
  let count = 0
  let capacity = FIRST_ROWS
  const texts = new Map<HotName, TextColumn>()
  const integers = new Map<HotName, IntegerColumn>()
  const eventKeys: LongColumn = { longs: new BigInt64Array(capacity).fill(-1n) }

  function textColumn(name: HotName): TextColumn {
    let column = texts.get(name)
    if (column === undefined) {
      column = {
        texts: [],
        numbers: new Int32Array(capacity).fill(-1),
        numberOf: new Map(),
        last: { text: null, number: -1 },
      }
      texts.set(name, column)
    }
    return column
  }

  function integerColumn(name: HotName): IntegerColumn {
    let column = integers.get(name)
    if (column === undefined) {
      column = { values: new Float64Array(capacity).fill(Number.NaN) }
      integers.set(name, column)
    }
    return column
  }

  const [bucket, timestamp, lag, lagMs, seq] = (
    ['bucket', 'timestamp', 'lag_s', 'lag_ms', 'seq'] as const
  ).map(integerColumn) as [IntegerColumn, IntegerColumn, IntegerColumn, IntegerColumn, IntegerColumn]
  const [project, name, user, session, country, id, json] = (
    ['project_id', 'event', 'user_id', 'session_id', 'country', 'event_id', 'properties'] as const
  ).map(textColumn) as [TextColumn, TextColumn, TextColumn, TextColumn, TextColumn, TextColumn, TextColumn]

  function grow(): void {
    capacity *= 2
    for (const column of texts.values())
      column.numbers = grown(column.numbers, new Int32Array(capacity).fill(-1))
    for (const column of integers.values())
      column.values = grown(column.values, new Float64Array(capacity).fill(Number.NaN))
    eventKeys.longs = grown(eventKeys.longs, new BigInt64Array(capacity).fill(-1n))
  }

  /** `raw`: the properties, if they are not in the event. */
  function addEvent(record: Head, event: RecordedEvent, index: number, raw?: RawEvent): void {
    if (isEmptyEvent(event)) return
    if (count === capacity) grow()
    if (!Number.isSafeInteger(event.timestamp)) throw new TypeError('a timestamp is not a whole number')
    const row = count
    bucket.values[row] = record.bucket
    timestamp.values[row] = event.timestamp
    lag.values[row] = arrivalLag(event.timestamp, record.received_at)
    lagMs.values[row] = arrivalLagMs(event.timestamp, record.received_at)
    seq.values[row] = record.seq + index
    addText(project, row, record.project_id)
    addText(name, row, event.event)
    addText(country, row, record.country)
    addText(user, row, event.user_id)
    addText(session, row, event.session_id)
    if (event.event_id != null) {
      addText(id, row, event.event_id)
      eventKeys.longs[row] = eventKey(record.project_id, event.event_id, record.credentialed) ?? -1n
    }
    if (raw === undefined) addText(json, row, addProperties(event.properties, row))
    else {
      for (const [name, value] of raw.columns) addValue(name, row, value)
      if (raw.propertiesJson !== null) json.numbers[row] = json.texts.push(raw.propertiesJson) - 1
    }
    count += 1
  }

  /**
   * Puts each property into its column if the value has the column's type. Returns the others as JSON.
   * Without a property for a column there is nothing to copy: for events of hundreds of keys the copy takes
   * as long as writing the JSON.
   */
  function addProperties(properties: Record<string, unknown> | null, row: number): string | null {
    if (properties === null) return null
    const keys = Object.keys(properties)
    const others: string[] = []
    for (const key of keys) {
      const value = properties[key]
      if (hasColumn(key, value)) addValue(key, row, value)
      else others.push(key)
    }
    if (others.length === keys.length) return JSON.stringify(properties)
    if (others.length === 0) return '{}'
    const rest = Object.create(null) as Record<string, unknown>
    for (const key of others) rest[key] = properties[key]
    return JSON.stringify(rest)
  }

  function addValue(name: string, row: number, value: ColumnValue): void {
    if (typeof value === 'string') addText(textColumn(name as HotName), row, value)
    else integerColumn(name as HotName).values[row] = value
  }

  /** Adds all rows of a record, or none. */
  function addAll(addRows: () => void): void {
    const before = count
    try {
      addRows()
    } catch (error) {
      forget(before)
      throw error
    }
  }

  /** Forgets the rows from `from` on. The last of them may be there in part. */
  function forget(from: number): void {
    const end = Math.min(count + 1, capacity)
    for (const { numbers } of texts.values()) numbers.fill(-1, from, end)
    for (const { values } of integers.values()) values.fill(Number.NaN, from, end)
    eventKeys.longs.fill(-1n, from, end)
    count = from
  }

  return {
    add(record) {
      addAll(() => {
        for (const [index, event] of record.events.entries()) addEvent(record, event, index)
      })
    },
    addUnparsed(record) {
      const raw = readRawEvents(record.eventsJson, RAW_COLUMNS)
      const parsed: readonly RecordedEvent[] =
        raw?.map(({ event }) => event) ?? JSON.parse(record.eventsJson.toString())
      addAll(() => {
        for (const [index, event] of parsed.entries()) addEvent(record, event, index, raw?.[index])
      })
      const times = timesOf(parsed.filter(event => !isEmptyEvent(event)))
      return { events: parsed.length, times, hasEventIds: parsed.some(({ event_id }) => event_id != null) }
    },
    rowCount: () => count,
    columns: () =>
      new Map<HotName, HotColumn>([
        ...texts,
        ...integers,
        ['user_key', keysOf(user)],
        ['session_key', keysOf(session)],
        ['event_key', eventKeys],
      ]),
  }
}

/** The rows of these records. */
export function hotColumnsOf(records: readonly EventsRecord[]): HotColumns {
  const columns = createHotColumns()
  for (const record of records) columns.add(record)
  return columns
}

function addText(column: TextColumn, row: number, text: string | null | undefined): void {
  if (text === null || text === undefined) return
  const { last } = column
  if (text !== last.text) {
    last.number = numberOf(column, text)
    last.text = text
  }
  column.numbers[row] = last.number
}

/** The number of a text, which the column has from now on. */
function numberOf({ texts, numberOf }: TextColumn, text: string): number {
  let number = numberOf.get(text)
  if (number === undefined) {
    if (typeof text !== 'string') throw new TypeError('a value is not a text')
    number = texts.push(text) - 1
    numberOf.set(text, number)
  }
  return number
}

/** The key of each id of a column. An id is hashed once, however many rows have it. */
function keysOf({ texts, numbers }: TextColumn): IntegerColumn {
  const keys = new Float64Array(texts.length)
  for (let i = 0; i < texts.length; i++) keys[i] = shortKey(String(texts[i]))
  const values = new Float64Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] as number
    values[row] = number === -1 ? Number.NaN : (keys[number] as number)
  }
  return { values }
}

function grown<Values extends { set(values: Values): void }>(values: Values, larger: Values): Values {
  larger.set(values)
  return larger
}

/** The type of each property that has a column. */
const propertyTypes = new Map<string, ColumnType>(propertyColumns.map(({ name, type }) => [name, type]))
/** A name of a column needs no escapes in JSON. */
const RAW_COLUMNS: RawColumns = {
  names: namesOf([...propertyTypes.keys()]),
  valueFor(name, json) {
    if (!propertyTypes.has(name)) return undefined
    const value: unknown = JSON.parse(json)
    return hasColumn(name, value) ? value : undefined
  },
}

/** Whether a property has a column that holds such a value. */
function hasColumn(name: string, value: unknown): value is ColumnValue {
  const type = propertyTypes.get(name)
  return type === 'string' ? typeof value === 'string' : type === 'int64' && isStorableInteger(value)
}

/** An integer column would read -0 back as 0. */
function isStorableInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}
