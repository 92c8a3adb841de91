import { ApiError } from '#core/errors'
import { ID_OF, joinSets } from '#core/lake/read/chosen'
import { type ChosenSet, type EventField, type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { events, hasIdsAsKeys } from '#core/lake/read/relations'
import type { SqlQuery } from '#core/ports'
import { addDays, type Zone } from '#core/reports/run/zone'
import type { OwnSources } from '#core/reports/sources/name-sources'
import { type FilterField, filterSql } from '#core/reports/sql/filters'
import { integer, join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import type { Range } from '#core/time'
import type { Condition, Did, Leaf } from '#schemas/conditions'
import { orRefused } from './check-leaves.ts'
import { numberField, parseFilter, parseValue } from './parse-filter.ts'
import {
  IS_NEW,
  isSessionLeaf,
  SESSION_LEAVES,
  type SessionLeaf,
  sessionsWithLeaves,
} from './session-leaves.ts'
import { peopleWithTraits, type TraitFlag, traitOf } from './trait-leaves.ts'

/**
 * From a condition (docs/api/conditions.md) to what relations choose by. A leaf about an event becomes a
 * comparison of its columns. `session`, `person` and `did`, and fields of a session, become flags in a set of
 * sessions or people: those of one kind share one scan, however many they are.
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
  const sets = joinedSets(
    compiled.flatMap(each => each.sets),
    compiler,
  )
  return { fields: compiled.flatMap(({ fields }) => fields), tests: compiled.map(({ test }) => test), sets }
}

type Compiler = ChoosingContext & {
  /** Flags that have a name so far. */
  flags: number
  /** Sets so far. */
  sets: number
}

/**
 * Sets of sessions and people that a condition needs at most: each is one more scan of the events. Nesting
 * alone makes up to four, and so does each other range of `did`.
 */
const MAX_SETS = 8

/**
 * A condition over the columns of an event: true for those that pass, false or null for others. Engines can
 * then search the files by its comparisons: DuckDB tests both sides of an `AND` within a function, such as
 * `coalesce`, so it would parse the JSON of every event.
 */
type Compiled = { fields: EventField[]; test: SqlQuery; sets: WantedSet[] }

/** A flag of sessions or people. `range`: of the events that are looked at. */
type WantedSet = { flag: SqlQuery } & (
  | { of: 'session'; test: (session: SessionLeaf) => SqlQuery; field: SessionLeaf }
  | { of: 'person'; trait: string; test: (value: FilterField) => SqlQuery }
  | { of: 'session' | 'person'; inner: Compiled; atLeast: number; range: Range }
)

function compile(condition: Condition, compiler: Compiler, place: string): Compiled {
  if ('and' in condition) return joinAll(condition.and, ' AND ', compiler, `${place}.and`)
  if ('or' in condition) return joinAll(condition.or, ' OR ', compiler, `${place}.or`)
  if ('not' in condition) {
    const { test, ...others } = compile(condition.not, compiler, `${place}.not`)
    return { ...others, test: isNot(test) }
  }
  if ('session' in condition) return inSet('session', condition.session, compiler, `${place}.session`)
  if ('person' in condition) return inSet('person', condition.person, compiler, `${place}.person`)
  if ('did' in condition) return hasDone(condition.did, compiler, `${place}.did`)
  return compileLeaf(condition, compiler, place)
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
    sets: parts.flatMap(({ sets }) => sets),
  }
}

function inSet(of: 'session' | 'person', condition: Condition, compiler: Compiler, place: string): Compiled {
  const inner = compile(condition, compiler, place)
  const { from, to } = compiler.read
  return ofFlag({ of, inner, atLeast: 1, range: { from, to }, flag: nextFlag(compiler) })
}

function hasDone({ event, where, at_least = 1, within }: Did, compiler: Compiler, place: string): Compiled {
  const done: Condition = { field: 'event', op: 'eq', value: event }
  const inner = compile(where === undefined ? done : { and: [done, where] }, compiler, place)
  return ofFlag({
    ...{ of: 'person', inner, atLeast: at_least, range: rangeWithin(within, compiler) },
    flag: nextFlag(compiler),
  })
}

/** The range of the read, or so many days before its last date and that date. */
function rangeWithin(within: string | undefined, { read, zone, oldest, now }: Compiler): Range {
  if (within === undefined) return { from: read.from, to: read.to }
  const lastDate = zone.dateOf(Math.min(read.to - 1, now))
  const from = zone.startOf(addDays(lastDate, -Number.parseInt(within, 10)))
  return { from: Math.max(from, oldest), to: read.to }
}

function ofFlag(set: WantedSet): Compiled {
  return { fields: [], test: sql`coalesce(${set.flag}, 0) = 1`, sets: [set] }
}

/** A name of our own: no two flags of a statement have the same. */
function nextFlag(compiler: Compiler): SqlQuery {
  compiler.flags += 1
  return trustedSql(`flag_${compiler.flags}`)
}

function compileLeaf(leaf: Leaf, compiler: Compiler, place: string): Compiled {
  const { field, op } = leaf
  return orRefused(() => {
    const trait = traitOf(field)
    if (trait !== undefined) return hasTrait(trait, op, parseValue(leaf.value, op, place, field), compiler)
    if (field === IS_NEW) return isNew(parseValue(leaf.value, op, place, field), op, compiler)
    if (!isSessionLeaf(field)) {
      const { read, zone } = compiler
      const range = { from: Math.min(read.from, compiler.oldest), to: read.to }
      const { fields, condition } = parseFilter(leaf, place, { ...zone, range })
      return { fields, test: condition, sets: [] }
    }
    const value = toFlag(parseValue(leaf.value, op, place, field), field)
    const test = (named: SessionLeaf) => filterSql(SESSION_LEAVES[named].filterField, op, value)
    return ofFlag({ of: 'session', field, test, flag: nextFlag(compiler) })
  })
}

type Value = ReturnType<typeof parseValue>

/** `is_bounce` is 1 or 0 in the lake, and true or false for who asks. */
function toFlag(value: Value, field: SessionLeaf): Value {
  return field === 'is_bounce' ? toBits(value) : value
}

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
  const { read, oldest } = compiler
  const before = { from: oldest, to: read.from }
  const everything: Compiled = { fields: [], test: sql`true`, sets: [] }
  const seen =
    before.from < before.to
      ? ofFlag({ of: 'person', inner: everything, atLeast: 1, range: before, flag: nextFlag(compiler) })
      : { ...everything, test: sql`false` }
  const bit = sql`CASE WHEN user_id IS NULL THEN NULL WHEN ${seen.test} THEN 0 ELSE 1 END`
  const test = filterSql(numberField(bit), op, op === 'exists' ? value : toBits(value))
  return { fields: ['user_id'], test, sets: seen.sets }
}

/**
 * Whether the person of an event has a trait with such a value. An event without a person, and a person
 * without traits, have none.
 */
function hasTrait(trait: string, op: Leaf['op'], value: Value, compiler: Compiler): Compiled {
  if (op === 'exists' && value === false) {
    const { test, ...others } = hasTrait(trait, op, true, compiler)
    return { ...others, test: isNot(test) }
  }
  if (filesOf(compiler).length === 0) return { fields: [], test: sql`false`, sets: [] }
  const test = (field: FilterField) => filterSql(field, op, value)
  return ofFlag({ of: 'person', trait, test, flag: nextFlag(compiler) })
}

/** The traits files of the read; none if nobody has traits. */
function filesOf({ read: { traits } }: Compiler): readonly string[] {
  return traits?.files ?? []
}

/** The sets with the wanted flags: flags of one kind and range share a set, so they share a scan. */
function joinedSets(wanted: readonly WantedSet[], compiler: Compiler): ChosenSet[] {
  const kinds = Map.groupBy(wanted, set =>
    'field' in set
      ? 'sessions of the rollup'
      : 'trait' in set
        ? 'traits'
        : `${set.of} ${set.range.from} ${set.range.to}`,
  )
  compiler.sets += kinds.size
  if (compiler.sets > MAX_SETS)
    throw new ApiError(
      'QUERY_FAILED',
      `Field \`where\` reads the events more than ${MAX_SETS} times. Use fewer different values of \`within\`, or fewer conditions inside each other.`,
    )
  return [...kinds.values()].map(ofKind => {
    const flags = ofKind.map(({ flag }) => flag)
    const [first] = ofKind
    if (first !== undefined && 'field' in first)
      return { of: 'session', flags, ...sessionFlags(ofKind, compiler) }
    if (first !== undefined && 'trait' in first)
      return { of: 'person', flags, refs: 'ids', relation: traitFlags(ofKind, compiler) }
    return { of: first?.of ?? 'session', flags, refs: 'ids', relation: eventFlags(ofKind, compiler) }
  })
}

/** The sessions that start in the range, with the flags of their fields. */
function sessionFlags(
  sets: readonly WantedSet[],
  { read, own }: Compiler,
): Pick<ChosenSet, 'refs' | 'relation'> {
  const leaves = sets.flatMap(set => ('field' in set ? [set] : []))
  const flags = leaves.map(({ field, test, flag }) => sql`${toBit(test(field))} AS ${flag}`)
  return {
    refs: hasIdsAsKeys(read) ? 'ids' : 'keys',
    relation: sql`SELECT session_key AS set_ref, ${join(flags, ', ')} FROM ${sessionsWithLeaves(
      read,
      leaves.map(({ field }) => field),
      own,
    )} AS leaf_session`,
  }
}

/** The people with traits, with a flag for each test of a trait. */
function traitFlags(sets: readonly WantedSet[], compiler: Compiler): SqlQuery {
  const flags = sets.flatMap((set): TraitFlag[] =>
    'trait' in set ? [{ key: set.trait, test: set.test, flag: set.flag }] : [],
  )
  return peopleWithTraits(compiler.read, filesOf(compiler), flags)
}

/** The sessions or people of the events that pass any of the inner conditions, with a flag for each. */
function eventFlags(sets: readonly WantedSet[], compiler: Compiler): SqlQuery {
  const wanted = sets.flatMap(set => ('inner' in set ? [set] : []))
  const [{ of, range } = { of: 'session' as const, range: compiler.read }] = wanted
  const id = ID_OF[of]
  const inner = joinedSets(
    wanted.flatMap(each => each.inner.sets),
    compiler,
  )
  const fields = wanted.flatMap(each => each.inner.fields)
  const ids = inner.map(set => ID_OF[set.of])
  const rows = events({ ...compiler.read, ...range }, [...new Set([id, ...fields, ...ids])])
  const tests = wanted.map(({ inner: { test } }) => test)
  // A test alone is a condition of the scan, so engines need not read the other rows.
  const isAlone = tests.length === 1
  const hits = tests.map((test, i) => sql`${isAlone ? sql`1` : toBit(test)} AS ${hit(i)}`)
  const isWanted = isAlone ? sql` AND (${join(tests, '')})` : sql``
  const joined = joinSets(inner, set => ({ refs: 'ids', column: name(ID_OF[set.of]) }))
  const isHit = join(
    wanted.map((_, i) => hit(i)),
    ' + ',
  )
  const flags = wanted.map(
    ({ flag, atLeast }, i) => sql`${toBit(sql`sum(${hit(i)}) >= ${integer(atLeast)}`)} AS ${flag}`,
  )
  return sql`SELECT max(${name(id)}) AS set_ref, ${join(flags, ', ')}
          FROM (SELECT ${name(id)}, ${join(hits, ', ')} FROM ${rows} AS flagged_event${joined} WHERE ${name(id)} IS NOT NULL${isWanted}) AS hit_event
          WHERE ${isHit} > 0 GROUP BY ${textKey(name(id))}`
}

/** True for what does not pass a test; never null. */
function isNot(test: SqlQuery): SqlQuery {
  return sql`CASE WHEN ${test} THEN false ELSE true END`
}

function toBit(test: SqlQuery): SqlQuery {
  return sql`CASE WHEN ${test} THEN 1 ELSE 0 END`
}

function hit(index: number): SqlQuery {
  return trustedSql(`hit_${index}`)
}
