/** The lake's tables. The Parquet writers, the Glue tables and the DuckDB views are made from these rows. */

/** How a value is stored: `timestamp` is INT64 Unix milliseconds, not UTC-adjusted, holding UTC. */
export type ColumnType = 'string' | 'int64' | 'timestamp'

export type Column<Name extends string = string> = {
  name: Name
  type: ColumnType
  /** The event property that lives in this column instead of in the JSON of `properties`. */
  property?: string
  meaning: string
}

const ids = [
  { name: 'project_id', type: 'string', meaning: 'the project (proj_…) that the event was sent for' },
  { name: 'timestamp', type: 'timestamp', meaning: 'when it happened, by the sender, else when it arrived' },
  {
    name: 'lag_s',
    type: 'int64',
    meaning: 'whole seconds from timestamp to arrival; negative for a clock that is ahead',
  },
  {
    name: 'seq',
    type: 'int64',
    meaning:
      'process (31 bits) and counter within its second (22 bits); with timestamp and lag_s it makes the id',
  },
  { name: 'event', type: 'string', meaning: "the event's name" },
  { name: 'user_id', type: 'string', meaning: 'the visitor as the sender named it, or null' },
  { name: 'session_id', type: 'string', meaning: 'the session as the sender named it, or null' },
  { name: 'country', type: 'string', meaning: 'ISO 3166-1 alpha-2 of the sender at arrival, or null' },
  {
    name: 'event_id',
    type: 'string',
    meaning: "the sender's own id of the event, by which a retry is stored once, or null",
  },
] as const satisfies readonly Column[]

/** Properties that the tracker sends with every event; text unless said otherwise. */
const promoted = {
  path: 'path of the page, without query',
  url: 'origin and path of the page',
  hostname: 'host of the page',
  title: 'title of the page',
  referrer: 'origin and path that led here',
  screen: 'screen size as WxH',
  browser: 'browser name',
  browser_version: 'major version of the browser',
  os: 'operating system',
  device: 'desktop, mobile or tablet',
  language: 'language of the browser',
  timezone: 'IANA time zone',
  utm_source: 'campaign source of the browser session',
  utm_medium: 'campaign medium of the browser session',
  utm_campaign: 'campaign name of the browser session',
  utm_content: 'campaign content of the browser session',
  utm_term: 'campaign term of the browser session',
  first_utm_source: 'first campaign source ever seen of the visitor',
  first_utm_medium: 'first campaign medium ever seen of the visitor',
  first_utm_campaign: 'first campaign name ever seen of the visitor',
  first_utm_content: 'first campaign content ever seen of the visitor',
  first_utm_term: 'first campaign term ever seen of the visitor',
} as const

const promotedCounts = {
  session_count: 'sessions of the visitor so far',
  days_since_first_visit: "whole days since the visitor's first visit",
} as const

export type PropertyColumnName = keyof typeof promoted | keyof typeof promotedCounts
/** What every stored event has. A name that is not here does not compile in `name` and `events`. */
export type EventColumnName = (typeof ids)[number]['name'] | PropertyColumnName | 'properties'

/** The columns that hold a property. A value of another type than the column's stays in `properties`. */
export const propertyColumns: readonly Column<PropertyColumnName>[] = [
  ...entriesOf(promoted).map(([name, meaning]) => ({
    name,
    type: 'string' as const,
    property: name,
    meaning,
  })),
  ...entriesOf(promotedCounts).map(([name, meaning]) => ({
    name,
    type: 'int64' as const,
    property: name,
    meaning,
  })),
]

const rest: Column<'properties'> = {
  name: 'properties',
  type: 'string',
  meaning: 'JSON object of the properties that have no column; null when the event had none at all',
}

/** What every stored event has, in all three event tables. */
export const eventColumns: readonly Column<EventColumnName>[] = [...ids, ...propertyColumns, rest]

function entriesOf<Name extends string>(meanings: Readonly<Record<Name, string>>): [Name, string][] {
  return Object.entries(meanings) as [Name, string][]
}

const bucket: Column<'bucket'> = {
  name: 'bucket',
  type: 'int64',
  meaning: "the project's bucket, 0 to 63",
}
const epoch: Column<'epoch'> = {
  name: 'epoch',
  type: 'int64',
  meaning: 'the epoch in which the event was written',
}
const userKey: Column<'user_key'> = {
  name: 'user_key',
  type: 'int64',
  meaning: 'first 53 bits of the SHA-256 of user_id, or null',
}
const sessionKey: Column<'session_key'> = {
  name: 'session_key',
  type: 'int64',
  meaning: 'first 53 bits of the SHA-256 of session_id, or null',
}
/** Only what is not yet cold carries the keys; there the rollups have them, and they would cost 2 bytes an event. */
const keys = [userKey, sessionKey] as const

/** One session's events of one UTC date, as far as one roll to cold saw them. Sessions merge when read. */
const sessionColumns = [
  { ...epoch, meaning: 'the first epoch of the roll that wrote the row' },
  { name: 'project_id', type: 'string', meaning: 'the project' },
  sessionKey,
  { ...userKey, meaning: 'key of the last non-null user by (timestamp, id), or null' },
  { name: 'user_at', type: 'timestamp', meaning: 'timestamp of the event that gave user_key; null: end_at' },
  { name: 'user_lag_s', type: 'int64', meaning: 'lag_s of the event that gave user_key, or null' },
  { name: 'start_at', type: 'timestamp', meaning: 'first event' },
  { name: 'end_at', type: 'timestamp', meaning: 'last event' },
  { name: 'event_count', type: 'int64', meaning: 'events' },
  { name: 'interactive_count', type: 'int64', meaning: 'events that are not of the non-interactive names' },
] as const satisfies readonly Column[]

/** How often one visitor sent one event name from one country on one UTC date. */
const activityColumns = [
  { ...epoch, meaning: 'the first epoch of the roll that wrote the row' },
  { name: 'project_id', type: 'string', meaning: 'the project' },
  userKey,
  { name: 'event', type: 'string', meaning: "the event's name" },
  { name: 'country', type: 'string', meaning: 'the country, or null' },
  { name: 'event_count', type: 'int64', meaning: 'events' },
] as const satisfies readonly Column[]

/** A partition column; its value stands in the key as `name=value`. `date` is YYYY-MM-DD. */
export type Partition = { name: 'epoch' | 'bucket' | 'date'; type: 'int64' | 'date' }

const byEpoch: Partition = { name: 'epoch', type: 'int64' }
const byBucket: Partition = { name: 'bucket', type: 'int64' }
const byDate: Partition = { name: 'date', type: 'date' }

export type Table = { prefix: string; partitions: readonly Partition[]; columns: readonly Column[] }

/** Every table of the lake by the name that SQL uses. Keys are `<prefix>/<partition>=<value>/…/<file>.parquet`. */
export const tables = {
  events_hot: { prefix: 'hot', partitions: [byEpoch], columns: [bucket, ...eventColumns, ...keys] },
  events_warm: { prefix: 'warm', partitions: [byEpoch, byBucket], columns: [...eventColumns, ...keys] },
  events_cold: { prefix: 'cold', partitions: [byDate, byBucket], columns: [epoch, ...eventColumns] },
  sessions_cold: { prefix: 'sessions', partitions: [byDate, byBucket], columns: sessionColumns },
  activity_cold: { prefix: 'activity', partitions: [byDate, byBucket], columns: activityColumns },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof tables

/** The columns of a table's files. */
export type ColumnOf<Name extends TableName> = (typeof tables)[Name]['columns'][number]['name']
/** Every name that SQL may use for a column, of any table. */
export type ColumnName = ColumnOf<TableName> | Partition['name']

/** Projects are spread over this many buckets; the number is written into every key and never changes. */
export const BUCKETS = 64
