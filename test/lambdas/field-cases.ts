import type { ErrorCode } from '#schemas/errors'
import { repeats } from '#test/support/depth'

/**
 * Values for the fields of report routes, with the error code of docs/api. `null` as the code means that the
 * value is accepted. In a query string every value is sent as text.
 */
export type FieldCase = [value: unknown, code: ErrorCode | null]

export type FieldCases = {
  /** The code of a request without the field. */
  absent?: ErrorCode
  /** Values for query strings and bodies. */
  text: FieldCase[]
  /** Values for bodies only, because a query string holds nothing but text. */
  json: FieldCase[]
}

/** Texts that break a statement, a pattern or a parser that takes them for its own. */
const HOSTILE = [`' OR 1=1 --"%_\\?$1$.a`, 'a\u0000b', '\u{1F600}\uFFFF', '__proto__']
/** From depth 10 on, nearly the largest body. */
const LONG = 'x'.repeat(repeats(100_000, { maxCount: 1_000_000 }))
/** Nearly the longest query string that the server of one machine accepts. */
const LONG_IN_QUERY = 'x'.repeat(8_000)
/** JSON.stringify writes it as an escape, so it reaches the service. */
const LONE_SURROGATE = '\uD800'
const WRONG_TYPES: unknown[] = [true, {}, [], [[]], { $gt: '' }, ['a']]

function all(values: readonly unknown[], code: ErrorCode | null): FieldCase[] {
  return values.map((value): FieldCase => [value, code])
}

/** A field that takes any text. */
export const anyText: FieldCases = {
  text: all(['', ' ', ...HOSTILE, LONG_IN_QUERY], null),
  json: [...all([LONG, LONE_SURROGATE], null), ...all([...WRONG_TYPES, 7], 'MISSING_FIELDS')],
}

/** A field that refuses every text but those that its own format allows. */
function formatted(bad: readonly unknown[], code: ErrorCode, good: readonly unknown[]): FieldCases {
  return {
    text: [...all([...bad, '', ' ', ...HOSTILE, LONG_IN_QUERY], code), ...all(good, null)],
    json: [...all([LONG, LONE_SURROGATE], code), ...all([...WRONG_TYPES, 7.5], code)],
  }
}

export function wholeNumber(min: number, max: number): FieldCases {
  const bad = [min - 1, max + 1, 1.5, '1e1', '0x5', '+1', 'NaN', 'Infinity', '1 ', '9'.repeat(400)]
  return formatted(bad, 'MISSING_FIELDS', [min, max])
}

export function oneOf(good: readonly string[]): FieldCases {
  return formatted([good[0]?.toUpperCase(), `${good[0]} `, 'other'], 'MISSING_FIELDS', good)
}

export const compare = formatted(
  ['Previous', 'previous ', 'before', '..', '7d', '7d..', '..7d', '9d..8d..7d', '2026-02-30..2026-03-01'],
  'MISSING_FIELDS',
  ['previous', 'year', '2026-10-01..2026-10-31', '20d..14d'],
)

export const since = formatted(
  ['yesterday', '-1d', '1.5d', '3651d', '7 d', '24h', '2026-02-30', '2026-13-01', '2999-01-01', '1'],
  'INVALID_SINCE',
  ['3650d', '0001-01-01', '2026-11-01T05:30:00+0530'],
)

/** Until today, because the requests have the default `since`. */
export const until = formatted(
  ['yesterday', '-1d', '1.5d', '3651d', '7 d', '2026-02-30', '1'],
  'INVALID_SINCE',
  ['0d', '7d', '2026-11-18T05:30:00+0530', '2999-01-01'],
)
/** The end of a grid, which begins before it by itself. */
export const endOfGrid: FieldCases = {
  ...until,
  text: [...until.text, ['3650d', null], ['0001-01-01', 'MISSING_FIELDS']],
}
// Before `since`.
until.text.push(['3650d', 'MISSING_FIELDS'], ['0001-01-01', 'MISSING_FIELDS'])

/** Conditions, in a query string as JSON. */
export const where: FieldCases = {
  text: [
    ...all(['', 'country', '{', '[]', '{}', '{"and":[]}', ...HOSTILE, LONG_IN_QUERY], 'MISSING_FIELDS'),
    ['{"field":"chanel","op":"eq","value":1}', 'INVALID_FILTER_FIELD'],
    ...all(
      [
        '{"not":{"field":"properties.path","op":"glob","value":"/**"}}',
        '{"or":[{"did":{"event":"a","at_least":2}},{"session":{"field":"duration","op":"gt","value":5}}]}',
      ],
      null,
    ),
  ],
  json: [
    ...all([LONG, ...WRONG_TYPES, 7], 'MISSING_FIELDS'),
    ...all([{ person: { field: 'country', op: 'in', value: ['DE', "o'brien"] } }], null),
  ],
}

/** Filters as text. */
export const filterTexts: FieldCases = {
  text: [
    ...all(['', 'country', 'country=DE', 'country:is:DE', ...HOSTILE], 'MISSING_FIELDS'),
    ['chanel:eq:a', 'INVALID_FILTER_FIELD'],
    ...all(['country:eq:DE', 'properties.path:prefix:/a:b', 'event:in:a,b', 'weekday:exists'], null),
  ],
  json: all([LONG, true, {}, [[]], 7], 'MISSING_FIELDS'),
}

/** Names of fields or properties. */
export const names: FieldCases = {
  text: [
    ...all(['', ' ', ',', 'a,,b', LONG_IN_QUERY, 'x'.repeat(257)], 'MISSING_FIELDS'),
    ...all(['timestamp,event,path', ' path , properties.path,path ', ...HOSTILE, 'x'.repeat(256)], null),
    [Array.from({ length: 50 }, (_, i) => `f${i}`).join(), null],
    [Array.from({ length: 51 }, (_, i) => `f${i}`).join(), 'MISSING_FIELDS'],
  ],
  json: [...all([LONG], 'MISSING_FIELDS'), ...all([...WRONG_TYPES, 7], 'MISSING_FIELDS')],
}

/** Some of a few names. */
export function someOf(good: readonly string[]): FieldCases {
  return formatted([`${good[0]},other`, 'other', `${good[0]},`], 'MISSING_FIELDS', [
    ...good,
    good.join(),
    ` ${good[0]} , ${good[0]}`,
  ])
}

export const tz = formatted(['Mars/Base', '+02:00', 'europe berlin', 'UTC+1'], 'MISSING_FIELDS', [
  'Australia/Lord_Howe',
])

export const cursor = formatted(['abc', 'MTIz', '0', '-1'], 'MISSING_FIELDS', [])

/** The cursor of /live: whole milliseconds, also those of a time that has not come. */
export const liveCursor = formatted(
  ['abc', '-1', '1.5', '1e3', '+1', ' 1', '9'.repeat(16)],
  'MISSING_FIELDS',
  ['0', '000', '1763900000000', '9'.repeat(15)],
)

export const propertyKey: FieldCases = {
  ...formatted(['a-b', 'a.b', 'x'.repeat(129), 'é'], 'INVALID_PROPERTY_KEY', [
    'path',
    'properties.path',
    'country',
    'x'.repeat(128),
    '_',
  ]),
  json: [
    ...all([LONG, LONE_SURROGATE], 'INVALID_PROPERTY_KEY'),
    ...all([...WRONG_TYPES, 7], 'MISSING_FIELDS'),
  ],
}
// These are keys, though hostile ones.
propertyKey.text = propertyKey.text.map(([value, code]) =>
  typeof value === 'string' && /^(properties\.)?[A-Za-z0-9_]{1,128}$/.test(value)
    ? [value, null]
    : [value, code],
)

/**
 * `project`: absent or not a text is PROJECT_REQUIRED, and a name that no project has is NOT_FOUND (R8, R9).
 */
export const project: FieldCases = {
  absent: 'PROJECT_REQUIRED',
  text: [['', 'PROJECT_REQUIRED'], ...all([' ', ...HOSTILE, LONG_IN_QUERY], 'NOT_FOUND')],
  json: [...all([LONE_SURROGATE, LONG], 'NOT_FOUND'), ...all([...WRONG_TYPES, 7], 'PROJECT_REQUIRED')],
}

/** A body field that is an array, and values that are none. */
function list(notArray: ErrorCode, cases: FieldCase[]): FieldCases {
  return { text: [], json: [...all([true, {}, 7, 'a', '', LONG], notArray), ...cases] }
}

/** As many entries as a list may have, and one more, which has the code. */
function sized(most: number, code: ErrorCode, entry: (i: number) => unknown): FieldCase[] {
  return [
    [Array.from({ length: most }, (_, i) => entry(i)), null],
    [Array.from({ length: most + 1 }, (_, i) => entry(i)), code],
  ]
}

export const metrics = list('INVALID_BODY', [
  ...all(
    [[], [''], [7], [null], [{}], ['sum()'], ['sum(a-b)'], ['sum(properties.a-b)'], [LONG]],
    'INVALID_METRIC',
  ),
  ...all(
    HOSTILE.map(text => [text]),
    'INVALID_METRIC',
  ),
  ...all(
    [['event_count', 'event_count'], ['p95(properties.session_count)'], ['sum(x)', 'sum(properties.x)']],
    null,
  ),
  ...sized(50, 'QUERY_FAILED', i => `sum(properties.k${i})`),
])

export const groupBy = list('INVALID_BODY', [
  ...all(
    [[''], [7], [null], [{}], ['properties.'], ['properties.a b'], ['timestamp'], [LONG]],
    'INVALID_GROUP_BY',
  ),
  ...all(
    HOSTILE.map(text => [text]),
    'INVALID_GROUP_BY',
  ),
  ...all([[], ['event', 'event'], ['properties.plan', 'date', 'country', 'user_id', 'session_id']], null),
  ...sized(20, 'QUERY_FAILED', i => `properties.k${i}`),
])

const filter = (changes: object) => [{ field: 'event', op: 'eq', value: 'a', ...changes }]

export const filters = list('INVALID_BODY', [
  ...all([[null], [7], ['a'], [[]], filter({ field: undefined })], 'INVALID_FILTER_FIELD'),
  ...all(
    [...WRONG_TYPES, 7, '', ...HOSTILE, LONG].map(field => filter({ field })),
    'INVALID_FILTER_FIELD',
  ),
  ...all(
    HOSTILE.filter(text => !/^\w+$/.test(text)).map(text => filter({ field: `properties.${text}` })),
    'INVALID_PROPERTY_KEY',
  ),
  ...all(
    [...WRONG_TYPES, 7, '', ...HOSTILE, LONG, 'like'].map(op => filter({ op })),
    'INVALID_FILTER_OP',
  ),
  ...all(
    [null, {}, [], ['a']].map(value => filter({ value })),
    'INVALID_FILTER_FIELD',
  ),
  ...all(
    [
      ['', 7, -0.5, 1e308, true, ...HOSTILE, LONE_SURROGATE].flatMap(value => filter({ value })),
      filter({ value: LONG }),
      ['a', ...HOSTILE].flatMap(value => filter({ field: 'properties.plan', op: 'contains', value })),
    ],
    null,
  ),
  ...all(
    [5, '5', '1e999', '-0'].map(value => filter({ field: 'properties.plan', op: 'gte', value })),
    null,
  ),
  ...all(
    [true, '', 'now', -1, 1e300, LONG].map(value => filter({ field: 'timestamp', op: 'gt', value })),
    'INVALID_BODY',
  ),
  ...all(
    [0, '0', '2026-11-01', '9999-12-31T23:59:59.999Z'].map(value =>
      filter({ field: 'timestamp', op: 'gt', value }),
    ),
    null,
  ),
  ...sized(100, 'QUERY_FAILED', value => ({ field: 'properties.plan', op: 'gt', value })),
  [Array(2_000).fill({ field: 'event', op: 'neq', value: 'x' }), 'QUERY_FAILED'],
  [Array(20_000).fill({ field: 'event', op: 'neq', value: 'x' }), 'INVALID_BODY'],
])

const steps = (step: unknown) => [step, { event: 'b' }]
const stepFilters = (filters: object[]) =>
  steps({ event: 'a', filters: filters.map(each => ({ property: 'plan', op: 'eq', value: 'a', ...each })) })
const stepFilter = (changes: object) => stepFilters([changes])

export const funnelSteps: FieldCases = {
  ...list('INVALID_FUNNEL_STEPS', [
    ...all([[], [{ event: 'a' }], Array(9).fill({ event: 'a' })], 'INVALID_FUNNEL_STEPS'),
    ...all(
      [null, 7, 'a', [], {}, { event: '' }, { event: 7 }, { event: 'x'.repeat(257) }, { event: LONG }].map(
        steps,
      ),
      'INVALID_FUNNEL_STEPS',
    ),
    ...all(
      [7, 'a', {}].map(value => steps({ event: 'a', filters: value })),
      'INVALID_FUNNEL_STEPS',
    ),
    ...all(
      [null, 7, 'a'].map(value => steps({ event: 'a', filters: [value] })),
      'INVALID_FUNNEL_STEPS',
    ),
    ...all(
      [...WRONG_TYPES, 7, '', ...HOSTILE.filter(text => !/^\w+$/.test(text)), LONG].map(property =>
        stepFilter({ property }),
      ),
      'INVALID_PROPERTY_KEY',
    ),
    ...all(
      ['event', 'timestamp', 'properties.', 'properties.a b'].map(field =>
        stepFilter({ property: undefined, field }),
      ),
      'INVALID_PROPERTY_KEY',
    ),
    ...all(
      [undefined, null, 7, '', ...HOSTILE, LONG].map(op => stepFilter({ op })),
      'INVALID_FILTER_OP',
    ),
    ...all(
      [undefined, null, {}, [], ['a']].map(value => stepFilter({ value })),
      'INVALID_FUNNEL_STEPS',
    ),
    ...all(
      ['a', [], [null], [[]], Array(51).fill('a')].map(value => stepFilter({ op: 'in', value })),
      'INVALID_FUNNEL_STEPS',
    ),
    ...all(
      [
        stepFilters(['', 7, true, ...HOSTILE].map(value => ({ value }))),
        stepFilter({ value: LONG }),
        stepFilters([['a', 7, true], Array(50).fill('a'), HOSTILE].map(value => ({ op: 'in', value }))),
        [...HOSTILE, 'x'.repeat(256)].map(event => ({ event })),
        stepFilter({ property: undefined, field: 'properties.plan' }),
        Array(8).fill({ event: 'a' }),
      ],
      null,
    ),
    ...[12, 13].map(
      (count): FieldCase => [
        Array(8).fill({ event: 'a', filters: Array(count).fill({ property: 'plan', op: 'gt', value: 1 }) }),
        count === 12 ? null : 'QUERY_FAILED',
      ],
    ),
  ]),
  // A project without a context has no steps.
  absent: 'INVALID_FUNNEL_STEPS',
}

export const hours: FieldCases = {
  text: [],
  json: [
    ...all([0.5, 8761, -1, '24', '', LONG, ...WRONG_TYPES], 'MISSING_FIELDS'),
    ...all([1, 1.5, 8760], null),
  ],
}

export const fromContext: FieldCases = {
  text: [],
  json: [...all([7, 'true', {}, [], LONG], 'MISSING_FIELDS'), [true, 'INVALID_FUNNEL_STEPS'], [false, null]],
}

export const yesOrNo: FieldCases = {
  text: [],
  json: [...all([7, 'true', {}, [], LONG], 'MISSING_FIELDS'), ...all([true, false], null)],
}

export const goalEvent: FieldCases = {
  absent: 'MISSING_FIELDS',
  text: [],
  json: [
    ...all(['', '  ', 'x'.repeat(257), LONG, ...WRONG_TYPES, 7], 'MISSING_FIELDS'),
    ...all([' a ', 'x'.repeat(256), ...HOSTILE], null),
  ],
}

/** The name of an event in a query string. */
export const goalInQuery: FieldCases = {
  absent: 'MISSING_FIELDS',
  text: [
    ...all(['', 'x'.repeat(257), LONG_IN_QUERY], 'MISSING_FIELDS'),
    ...all(['x'.repeat(256), ...HOSTILE], null),
  ],
  json: [],
}

/** Text that may not be empty. */
export const filledText: FieldCases = {
  text: anyText.text.map(([value, code]) => [value, value === '' ? 'MISSING_FIELDS' : code]),
  json: anyText.json.map(([value, code]) => [value, value === '' ? 'MISSING_FIELDS' : code]),
}

/** An address that may not be empty when it is trimmed. */
export const filledEmail: FieldCases = {
  text: filledText.text.map(([value, code]) => [value, isBlank(value) ? 'MISSING_FIELDS' : code]),
  json: filledText.json.map(([value, code]) => [value, isBlank(value) ? 'MISSING_FIELDS' : code]),
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === ''
}

export const countMode: FieldCases = {
  text: [],
  json: [
    ...all(['', 'RAW', ...HOSTILE, LONG, 7, ...WRONG_TYPES], 'INVALID_COUNT_MODE'),
    ...all(['raw', 'session_then_user'], null),
  ],
}

/** The first date of a cohort, if this week begins on 2026-11-16. */
export const cohortDate = formatted(
  ['2026-11-17', '2026-02-30', '2026-11-16T00:00', '7d', '16.11.2026', '0001-01-01'],
  'MISSING_FIELDS',
  ['2026-11-16', '2026-09-28'],
)

/** Fields that need another one beside them, which the request does not have. */
export const alone = (good: readonly unknown[]) => formatted(good, 'MISSING_FIELDS', [])

export const flag: FieldCases = {
  text: [
    ...all(['', 'yes', '1', 'TRUE', ...HOSTILE, LONG_IN_QUERY], 'MISSING_FIELDS'),
    ...all(['true', 'false'], null),
  ],
  json: [...all([7, {}, [], LONG, LONE_SURROGATE], 'MISSING_FIELDS'), ...all([true, false], null)],
}

export const currency: FieldCases = {
  text: [...all(['', 'EURO', 'E1R', ...HOSTILE], 'MISSING_FIELDS'), ...all(['EUR', 'eur'], null)],
  json: [],
}
