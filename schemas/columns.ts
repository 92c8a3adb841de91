/** The lake's tables. The Parquet writers, the Glue tables and the DuckDB views use these rows. */

/**
 * How a value is stored. `timestamp` is INT64 Unix milliseconds in UTC, not marked as UTC-adjusted. `date` is
 * a UTC date.
 */
export type ColumnType = 'string' | 'int64' | 'timestamp' | 'date'

export type Column<Name extends string = string> = {
  name: Name
  type: ColumnType
  /** The event property that this column stores instead of the JSON of `properties`. */
  property?: string
  meaning: string
}

const ids = [
  { name: 'project_id', type: 'string', meaning: 'the project (proj_…) of the event' },
  {
    name: 'timestamp',
    type: 'timestamp',
    meaning: 'when the event happened, by the sender; else when it arrived',
  },
  {
    name: 'lag_s',
    type: 'int64',
    meaning: "whole seconds from timestamp to arrival; negative when the sender's clock is ahead",
  },
  {
    name: 'lag_ms',
    type: 'int64',
    meaning:
      'milliseconds of the arrival after those of timestamp, 0 to 999; null in older files, whose arrivals count from the start of their second',
  },
  {
    name: 'seq',
    type: 'int64',
    meaning:
      'number of the process (31 bits) and counter within a second (22 bits); timestamp, lag_s and seq make the id',
  },
  { name: 'event', type: 'string', meaning: "the event's name" },
  { name: 'user_id', type: 'string', meaning: 'the user that the sender named, or null' },
  { name: 'session_id', type: 'string', meaning: 'the session that the sender named, or null' },
  {
    name: 'country',
    type: 'string',
    meaning: 'country of the sender at arrival, ISO 3166-1 alpha-2, or null',
  },
  {
    name: 'event_id',
    type: 'string',
    meaning: "the sender's own id of the event, or null; a retry with the same id is stored once",
  },
] as const satisfies readonly Column[]

/** Text properties that the tracker sends with every event. */
const textProperties = {
  path: 'path of the page, without query',
  url: 'origin and path of the page',
  hostname: 'host of the page',
  title: 'title of the page',
  referrer: 'origin and path of the page before',
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
  first_utm_source: 'first campaign source of the user',
  first_utm_medium: 'first campaign medium of the user',
  first_utm_campaign: 'first campaign name of the user',
  first_utm_content: 'first campaign content of the user',
  first_utm_term: 'first campaign term of the user',
  click_id: "name of the click id of the browser session's campaign, such as gclid; never its value",
  first_click_id: "the same of the user's first campaign",
} as const

/** Numbers that the tracker sends with every event. */
const countProperties = {
  session_count: 'number of sessions of the user so far',
  days_since_first_visit: "whole days since the user's first session",
} as const

export type PropertyColumnName = keyof typeof textProperties | keyof typeof countProperties
/** The columns of every stored event. Another name does not compile in `name` of core/sql/sql.ts. */
export type EventColumnName = (typeof ids)[number]['name'] | PropertyColumnName | 'properties'

/** The columns that store a property. A value whose type is not that of the column stays in `properties`. */
export const propertyColumns: readonly Column<PropertyColumnName>[] = [
  ...entriesOf(textProperties).map(([name, meaning]) => ({
    name,
    type: 'string' as const,
    property: name,
    meaning,
  })),
  ...entriesOf(countProperties).map(([name, meaning]) => ({
    name,
    type: 'int64' as const,
    property: name,
    meaning,
  })),
]

const trackerProperties: ReadonlySet<string> = new Set([...propertyColumns.map(({ name }) => name), 'page'])

/**
 * Whether the tracker adds the property by itself, so that it tells nothing about one event. `page` is the
 * title in a page view.
 */
export function isTrackerProperty(key: string): boolean {
  return trackerProperties.has(key)
}

const otherProperties: Column<'properties'> = {
  name: 'properties',
  type: 'string',
  meaning: 'JSON object of the properties without a column; null when the event has no properties',
}

/** The columns of an event in all three event tables. */
export const eventColumns: readonly Column<EventColumnName>[] = [...ids, ...propertyColumns, otherProperties]

function entriesOf<Name extends string>(meanings: Readonly<Record<Name, string>>): [Name, string][] {
  return Object.entries(meanings) as [Name, string][]
}

const bucket: Column<'bucket'> = {
  name: 'bucket',
  type: 'int64',
  meaning: "the project's bucket, 0 to 63",
}
const date: Column<'date'> = { name: 'date', type: 'date', meaning: 'UTC date of the events' }
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
const eventKey: Column<'event_key'> = {
  name: 'event_key',
  type: 'int64',
  meaning:
    'first 62 bits of the SHA-256 of project_id, a space and event_id, then 1 if the event came with a credential, else 0; null without an event_id',
}
/**
 * Only hot events have the keys. For the events of segments the rollups have them, which saves 2 bytes an
 * event.
 */
const keys = [userKey, sessionKey, eventKey] as const

/** A row has the events of one session on one UTC date in one segment. Reports add such rows up. */
const sessionColumns = [
  { name: 'project_id', type: 'string', meaning: 'the project' },
  date,
  sessionKey,
  { ...userKey, meaning: 'key of the last non-null user by (timestamp, id), or null' },
  { name: 'user_at', type: 'timestamp', meaning: 'timestamp of the event with user_key; null: end_at' },
  { name: 'user_lag_s', type: 'int64', meaning: 'lag_s of the event with user_key, or null' },
  { name: 'start_at', type: 'timestamp', meaning: 'timestamp of the first event' },
  { name: 'end_at', type: 'timestamp', meaning: 'timestamp of the last event' },
  { name: 'event_count', type: 'int64', meaning: 'number of events' },
  { name: 'interactive_count', type: 'int64', meaning: 'number of events with an interactive name' },
  { name: 'entry_page', type: 'string', meaning: 'page of the first event that has one, or null' },
  { name: 'entry_at', type: 'timestamp', meaning: 'timestamp of the event with entry_page; null: start_at' },
  { name: 'entry_lag_s', type: 'int64', meaning: 'lag_s of the event with entry_page, or null' },
  { name: 'exit_page', type: 'string', meaning: 'page of the last event that has one, or null' },
  { name: 'exit_at', type: 'timestamp', meaning: 'timestamp of the event with exit_page; null: end_at' },
  { name: 'exit_lag_s', type: 'int64', meaning: 'lag_s of the event with exit_page, or null' },
  {
    name: 'may_be_split',
    type: 'int64',
    meaning:
      '0: this segment and the older ones of its bucket have no other row of the session; 1: they may have one; null: not known',
  },
  {
    name: 'user_parts',
    type: 'string',
    meaning: 'what each user has of the row, if it has events of several users; else null',
  },
  {
    name: 'page_view_count',
    type: 'int64',
    meaning: 'number of page views; null in older files, which have none of the columns from here on',
  },
  { name: 'entry_referrer', type: 'string', meaning: 'origin in the referrer of the event with entry_page' },
  { name: 'entry_hostname', type: 'string', meaning: 'hostname of the event with entry_page' },
  { name: 'entry_click_id', type: 'string', meaning: 'click_id of the event with entry_page' },
  { name: 'entry_utm_source', type: 'string', meaning: 'utm_source of the event with entry_page' },
  { name: 'entry_utm_medium', type: 'string', meaning: 'utm_medium of the event with entry_page' },
  { name: 'entry_utm_campaign', type: 'string', meaning: 'utm_campaign of the event with entry_page' },
  { name: 'entry_utm_content', type: 'string', meaning: 'utm_content of the event with entry_page' },
] as const satisfies readonly Column[]

/** A row counts the events of one user with one name from one country on one UTC date. */
const activityColumns = [
  { name: 'project_id', type: 'string', meaning: 'the project' },
  date,
  userKey,
  { name: 'event', type: 'string', meaning: "the event's name" },
  { name: 'country', type: 'string', meaning: 'the country, or null' },
  { name: 'event_count', type: 'int64', meaning: 'number of events' },
  {
    name: 'total_count',
    type: 'int64',
    meaning:
      'number of events of all users in the file with the date, name and country of the row; only the first such row has it, the others have null',
  },
] as const satisfies readonly Column[]

/**
 * A row makes later copies of one event known. Rows are kept as long as copies are dropped
 * (core/lake/read/relations.ts).
 */
const eventIdColumns = [
  {
    ...eventKey,
    meaning:
      'event_key of the event; for the newest events without an event_id a negative hash of project_id, timestamp, lag_s and seq',
  },
  { name: 'arrival', type: 'int64', meaning: 'Unix second of arrival' },
] as const satisfies readonly Column[]

/**
 * A row is one identify request, as the lake consumer found it. No report reads them: core/identity folds
 * them into `links`.
 */
const identityColumns = [
  { name: 'project_id', type: 'string', meaning: 'the project of the request' },
  { name: 'previous_id', type: 'string', meaning: 'the id that is linked; null if the request links none' },
  { name: 'user_id', type: 'string', meaning: 'the id that it is linked to' },
  { name: 'arrived_at', type: 'int64', meaning: 'arrival, Unix ms' },
  { name: 'seq', type: 'int64', meaning: 'with arrived_at the order of arrival' },
  { name: 'traits', type: 'string', meaning: 'JSON of the traits, or null' },
  { name: 'email_hash', type: 'string', meaning: 'keyed hash of the e-mail address, or null' },
  { name: 'has_credential', type: 'int64', meaning: '1: a credential of the account came with the request' },
  { name: 'refused', type: 'string', meaning: 'why the ids were not linked, or null' },
] as const satisfies readonly Column[]

/**
 * A row links an id to another one, in one identity scope (core/identity). An id has at most one row in a
 * scope. `linked_id` may itself have a row in a newer file, and so on: the last one is the id that all of
 * them count for.
 */
const linkColumns = [
  { name: 'scope', type: 'string', meaning: 'the project, or the joined projects of a portfolio' },
  { name: 'previous_id', type: 'string', meaning: 'a user_id of events' },
  { name: 'user_id', type: 'string', meaning: 'the id that the identify request linked it to' },
  {
    name: 'linked_id',
    type: 'string',
    meaning: 'the id that it resolved to when the file was written',
  },
  { name: 'linked_at', type: 'int64', meaning: 'arrival of the request, Unix ms' },
  { name: 'linked_seq', type: 'int64', meaning: 'with linked_at the order of arrival' },
  { ...userKey, name: 'previous_key', meaning: 'first 53 bits of the SHA-256 of previous_id' },
  { ...userKey, name: 'linked_key', meaning: 'first 53 bits of the SHA-256 of linked_id' },
] as const satisfies readonly Column[]

/**
 * A row is what identify requests have told of one final id of a project: one row for those with a
 * credential, one for those without. Written anew as a whole (core/identity/traits/traits-files.ts).
 */
const traitsColumns = [
  { name: 'project_id', type: 'string', meaning: 'the project of the user' },
  { name: 'user_id', type: 'string', meaning: 'the final id of the user when the file was written' },
  { ...userKey, meaning: 'first 53 bits of the SHA-256 of user_id' },
  { name: 'has_credential', type: 'int64', meaning: '1: a credential of the account came with the traits' },
  { name: 'sent_at', type: 'int64', meaning: 'arrival of the newest request with them, Unix ms' },
  { name: 'sent_seq', type: 'int64', meaning: 'with sent_at the order of arrival' },
  { name: 'traits', type: 'string', meaning: 'JSON of the traits' },
] as const satisfies readonly Column[]

/**
 * A row erases the events of one id of a user, or of a whole project, that arrived in time
 * (core/lake/erase/tombstones.ts).
 */
const tombstoneColumns = [
  { name: 'project_id', type: 'string', meaning: 'the project of the erased events' },
  {
    ...userKey,
    meaning: 'user_key of the erased events; null: those of all users, and those without a user',
  },
  {
    name: 'user_hash',
    type: 'string',
    meaning: 'first 16 hexadecimal digits of the SHA-256 of user_id, or null',
  },
  { name: 'erased_until', type: 'int64', meaning: 'Unix second of the last arrival that is erased' },
  {
    name: 'erased_until_ms',
    type: 'int64',
    meaning: 'the same in Unix ms; null in older files: the whole second is erased',
  },
  { name: 'number', type: 'int64', meaning: 'number of the erasure in its bucket' },
] as const satisfies readonly Column[]

/** A partition column. The key of an object contains its value as `name=value`. */
export type Partition = { name: 'epoch' | 'bucket'; type: 'int64' }

const byEpoch: Partition = { name: 'epoch', type: 'int64' }
const byBucket: Partition = { name: 'bucket', type: 'int64' }

export type Table = { prefix: string; partitions: readonly Partition[]; columns: readonly Column[] }

/**
 * Every table of the lake by the name that SQL uses. Keys are `<prefix>/<partition>=<value>/<file>.parquet`.
 * Hot files hold the newest epochs of all buckets. A segment holds the older epochs of one bucket, as one
 * file of each segment table. `links` says which ids of users are the same person, `identity_hot` holds the
 * newest requests that say so, `tombstones` says which events were erased, and `user_traits` what is known of
 * users.
 */
export const tables = {
  events_hot: { prefix: 'hot', partitions: [byEpoch], columns: [bucket, ...eventColumns, ...keys] },
  segment_events: { prefix: 'segments/events', partitions: [byBucket], columns: eventColumns },
  segment_sessions: { prefix: 'segments/sessions', partitions: [byBucket], columns: sessionColumns },
  segment_activity: { prefix: 'segments/activity', partitions: [byBucket], columns: activityColumns },
  segment_event_ids: { prefix: 'segments/event-ids', partitions: [byBucket], columns: eventIdColumns },
  identity_hot: { prefix: 'hot-identity', partitions: [byEpoch], columns: identityColumns },
  links: { prefix: 'links', partitions: [byBucket], columns: linkColumns },
  tombstones: { prefix: 'tombstones', partitions: [byBucket], columns: tombstoneColumns },
  user_traits: { prefix: 'traits', partitions: [byBucket], columns: traitsColumns },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof tables

/** The columns of a table's files. */
export type ColumnOf<Name extends TableName> = (typeof tables)[Name]['columns'][number]['name']
/** Every name that SQL may use for a column, of any table. */
export type ColumnName = ColumnOf<TableName> | Partition['name']

/** The number of buckets. Keys contain the bucket of a project, so this number never changes. */
export const BUCKETS = 64
