import { ApiError } from '#core/errors'
import { ID_OF, joinSets } from '#core/lake/read/chosen'
import { type ChosenSet, type EventField, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { addDays, type Zone } from '#core/reports/run/zone'
import type { OwnSources } from '#core/reports/sources/name-sources'
import { filterSql } from '#core/reports/sql/filters'
import { bit, integer, join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import type { Range } from '#core/time'
import type { Condition, Leaf } from '#schemas/conditions'
import { orRefused } from './check-leaves.ts'
import { numberField, parseFilter, parseValue } from './parse-filter.ts'
import { IS_NEW, isSessionLeaf, SESSION_LEAVES, type SessionFlag, sessionSet } from './session-leaves.ts'
import { peopleWithTraits, type TraitFlag, traitOf } from './trait-leaves.ts'

/**
 * From a condition (docs/api/conditions.md) to what relations choose by. A leaf about an event becomes a
 * comparison of its columns. `session`, `person` and `did`, and fields of a session or person, become flags
 * in a set of sessions or people: those that are found in the same place share one scan, however many they
 * are.
 */

/** What a condition is about: the read that it is a part of, and what its times mean. */
export type ChoosingContext = {
  read: LakeRead
  zone: Zone
  now: number
  /** Unix ms before which the caller may see no event. */
  oldest: number
  /** What the project knows about where its visitors come from. */
  own: OwnSources
}

/** The part of a read that passes a condition. Throws INVALID_FILTER_FIELD and as parseFilter does. */
export function choose(condition: Condition, context: ChoosingContext): LakeRead {
  const all = withoutWhere(context.read)
  const range = { from: all.from, to: all.to }
  const { fields, tests, sets } = compileConditions([condition], context, 'where')
  return { ...all, where: { range, fields, condition: join(tests, ' AND '), sets } }
}

/**
 * Conditions over the columns of an event: the fields and the sets that all of them read together, and a test
 * for each, true for what passes, else false or null. `place`: how messages call them. Throws as `choose`
 * does.
 */
export function compileConditions(
  conditions: readonly Condition[],
  context: ChoosingContext,
  place: string,
): { fields: EventField[]; tests: SqlQuery[]; sets: ChosenSet[] } {
  const compiler: Compiler = { ...context, read: withoutWhere(context.read), flags: 0, sets: 0 }
  const compiled = conditions.map(each => compile(each, compiler, place))
  const flags = compiled.flatMap(each => each.flags)
  return {
    fields: compiled.flatMap(({ fields }) => fields),
    tests: compiled.map(({ test }) => test),
    sets: setsOf(flags, compiler),
  }
}

/** `flags` and `sets`: how many there are so far. */
type Compiler = ChoosingContext & { flags: number; sets: number }

/**
 * Sets of sessions and people that a condition needs at most: each is one more scan of the events. Nesting
 * alone makes up to four, and so does each other range of `did`.
 */
const MAX_SETS = 8

/**
 * A condition over the columns of an event and flags: true for what passes, false or null for the rest.
 * Engines can then search the files by its comparisons: DuckDB tests both sides of an `AND` within a
 * function, such as `coalesce`, so it would parse the JSON of every event.
 */
type Compiled = { fields: EventField[]; test: SqlQuery; flags: Flag[] }

/** A flag of sessions or people, which is 1 or 0, by where it is found. */
type Flag =
  | ({ in: 'sessions' } & SessionFlag)
  | ({ in: 'traits' } & TraitFlag)
  | ({ in: 'events' } & EventFlag)
type FlagIn<Place> = Extract<Flag, { in: Place }>

/** Whether a session or a person has so many events of the range that pass the inner condition. */
type EventFlag = {
  of: 'session' | 'person'
  inner: Compiled
  atLeast: number
  range: Range
  flag: SqlQuery
}

function compile(condition: Condition, compiler: Compiler, place: string): Compiled {
  if ('and' in condition) return joinAll(condition.and, ' AND ', compiler, `${place}.and`)
  if ('or' in condition) return joinAll(condition.or, ' OR ', compiler, `${place}.or`)
  if ('not' in condition) return negate(compile(condition.not, compiler, `${place}.not`))
  const { from, to } = compiler.read
  const any = { atLeast: 1, range: { from, to } }
  if ('session' in condition) {
    const inner = compile(condition.session, compiler, `${place}.session`)
    return hasFlag(compiler, flag => ({ in: 'events', of: 'session', inner, ...any, flag }))
  }
  if ('person' in condition) {
    const inner = compile(condition.person, compiler, `${place}.person`)
    return hasFlag(compiler, flag => ({ in: 'events', of: 'person', inner, ...any, flag }))
  }
  if ('did' in condition) {
    const { event, where, at_least: atLeast = 1, within } = condition.did
    const named: Condition = { field: 'event', op: 'eq', value: event }
    const inner = compile(where === undefined ? named : { and: [named, where] }, compiler, `${place}.did`)
    const range = within === undefined ? any.range : rangeWithin(within, compiler)
    return hasFlag(compiler, flag => ({ in: 'events', of: 'person', inner, atLeast, range, flag }))
  }
  return orRefused(() => compileLeaf(condition, compiler, place))
}

function joinAll(
  conditions: readonly Condition[],
  operator: ' AND ' | ' OR ',
  compiler: Compiler,
  place: string,
): Compiled {
  const parts = conditions.map((each, i) => compile(each, compiler, `${place}[${i}]`))
  const tests = parts.map(({ test }) => test)
  return {
    fields: parts.flatMap(({ fields }) => fields),
    test: sql`(${join(tests, operator)})`,
    flags: parts.flatMap(({ flags }) => flags),
  }
}

function negate({ test, ...others }: Compiled): Compiled {
  return { ...others, test: sql`CASE WHEN ${test} THEN false ELSE true END` }
}

/** So many days before the last date of the read, and that date. */
function rangeWithin(within: string, { read, zone, oldest, now }: Compiler): Range {
  const lastDate = zone.dateOf(Math.min(read.to - 1, now))
  const from = zone.startOf(addDays(lastDate, -Number.parseInt(within, 10)))
  return { from: Math.max(from, oldest), to: read.to }
}

/** The flag gets a name of our own: no two flags of a statement have the same. */
function hasFlag(compiler: Compiler, toFlag: (name: SqlQuery) => Flag): Compiled {
  compiler.flags += 1
  const flag = trustedSql(`flag_${compiler.flags}`)
  return { fields: [], test: sql`coalesce(${flag}, 0) = 1`, flags: [toFlag(flag)] }
}

function compileLeaf(leaf: Leaf, compiler: Compiler, place: string): Compiled {
  const { field, op } = leaf
  const trait = traitOf(field)
  if (trait === undefined && field !== IS_NEW && !isSessionLeaf(field)) {
    const { read, zone, oldest } = compiler
    const range = { from: Math.min(read.from, oldest), to: read.to }
    const { fields, condition } = parseFilter(leaf, place, { ...zone, range })
    return { fields, test: condition, flags: [] }
  }
  const value = parseValue(leaf.value, op, place, field)
  if (trait !== undefined) return hasTrait(trait, op, value, compiler)
  if (!isSessionLeaf(field)) return isNew(value, op, compiler)
  const test = filterSql(SESSION_LEAVES[field].filterField, op, field === 'is_bounce' ? toBits(value) : value)
  return hasFlag(compiler, flag => ({ in: 'sessions', field, test, flag }))
}

type Value = ReturnType<typeof parseValue>

/** `is_bounce` and `is_new` are 1 or 0 in SQL, and true or false for who asks. */
function toBits(value: Value): Value {
  const toNumber = (each: string | number | boolean) =>
    each === true || each === 'true' ? 1 : each === false || each === 'false' ? 0 : each
  return Array.isArray(value) ? value.map(toNumber) : toNumber(value)
}

/**
 * Whether the person of an event has none before the range. An event without a person is of nobody, so it has
 * no value.
 */
function isNew(value: Value, op: Leaf['op'], compiler: Compiler): Compiled {
  const range = { from: compiler.oldest, to: compiler.read.from }
  const inner: Compiled = { fields: [], test: sql`true`, flags: [] }
  const seen =
    range.from < range.to
      ? hasFlag(compiler, flag => ({ in: 'events', of: 'person', inner, atLeast: 1, range, flag }))
      : { ...inner, test: sql`false` }
  const isNewPerson = sql`CASE WHEN user_id IS NULL THEN NULL WHEN ${seen.test} THEN 0 ELSE 1 END`
  const test = filterSql(numberField(isNewPerson), op, op === 'exists' ? value : toBits(value))
  return { fields: ['user_id'], test, flags: seen.flags }
}

/**
 * Whether the person of an event has a trait with such a value. An event without a person, and a person
 * without traits, have none.
 */
function hasTrait(key: string, op: Leaf['op'], value: Value, compiler: Compiler): Compiled {
  if (op === 'exists' && value === false) return negate(hasTrait(key, op, true, compiler))
  if (traitsFiles(compiler).length === 0) return { fields: [], test: sql`false`, flags: [] }
  return hasFlag(compiler, flag => ({ in: 'traits', key, test: field => filterSql(field, op, value), flag }))
}

/** The traits files of the read; none if nobody has traits. */
function traitsFiles({ read: { traits } }: Compiler): readonly string[] {
  return traits?.files ?? []
}

/** The sets with these flags. Flags that are found by the same scan share a set. */
function setsOf(flags: readonly Flag[], compiler: Compiler): ChosenSet[] {
  const byScan = Map.groupBy(flags, each =>
    each.in === 'events' ? `${each.of} ${each.range.from} ${each.range.to}` : each.in,
  )
  compiler.sets += byScan.size
  if (compiler.sets > MAX_SETS)
    throw new ApiError(
      'QUERY_FAILED',
      `Field \`where\` reads the events more than ${MAX_SETS} times. Use fewer different values of \`within\`, or fewer conditions inside each other.`,
    )
  // All flags of a scan are found in the same place.
  return [...byScan.values()].map(found => SETS[found[0]!.in](found as never, compiler))
}

/** The set of one scan, by where its flags are found. */
const SETS: { [Place in Flag['in']]: (flags: readonly FlagIn<Place>[], compiler: Compiler) => ChosenSet } = {
  sessions: (flags, { read, own }) => sessionSet(read, flags, own),
  traits: (flags, compiler) => ({
    of: 'person',
    refs: 'ids',
    flags: flags.map(({ flag }) => flag),
    relation: peopleWithTraits(compiler.read, traitsFiles(compiler), flags),
  }),
  events: eventSet,
}

/** The sessions or people of the events that pass any of the inner conditions. */
function eventSet(flags: readonly EventFlag[], compiler: Compiler): ChosenSet {
  const { of, range } = flags[0]!
  const id = ID_OF[of]
  const inner = setsOf(
    flags.flatMap(each => each.inner.flags),
    compiler,
  )
  const fields = flags.flatMap(each => each.inner.fields)
  const ids = inner.map(set => ID_OF[set.of])
  const rows = events({ ...compiler.read, ...range }, [...new Set([id, ...fields, ...ids])])
  const joined = joinSets(inner, set => ({ refs: 'ids', column: name(ID_OF[set.of]) }))
  const hits = flags.map((_, i) => trustedSql(`hit_${i}`))
  // A test alone is a condition of the scan, so engines need not read the other rows.
  const alone = flags.length === 1 ? flags[0]!.inner.test : null
  const tests = flags.map(({ inner: { test } }, i) => sql`${alone ? sql`1` : bit(test)} AS ${hits[i]!}`)
  const isWanted = alone ? sql` AND (${alone})` : sql``
  const sums = flags.map(
    ({ flag, atLeast }, i) => sql`${bit(sql`sum(${hits[i]!}) >= ${integer(atLeast)}`)} AS ${flag}`,
  )
  const relation = sql`SELECT max(${name(id)}) AS set_ref, ${join(sums, ', ')}
          FROM (SELECT ${name(id)}, ${join(tests, ', ')} FROM ${rows} AS flagged_event${joined} WHERE ${name(id)} IS NOT NULL${isWanted}) AS hit_event
          WHERE ${join(hits, ' + ')} > 0 GROUP BY ${textKey(name(id))}`
  return { of, refs: 'ids', flags: flags.map(({ flag }) => flag), relation }
}
