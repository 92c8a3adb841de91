import { hash } from 'node:crypto'
import { forEachConcurrent } from '#core/async/concurrency'
import type { KnownId } from '#core/identity/fold/decide-links'
import type { Item } from '#core/state/query-all'
import { readItems } from '#core/state/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state/state-table'
import { writeItems } from '#core/state/write-items'
import type { LinkRow } from './links.ts'

/** Ways with more steps are shortened. */
const LONG_WAY = 4
/**
 * How many pointers one look-up changes at most, so that they name the last id of the way. It chooses them at
 * equal distances. So a way of n steps has about n / 32 steps afterwards: 4 for a person of 100 ids.
 */
const MAX_SHORTENED = 32
const CONCURRENT_WRITES = 8

/**
 * Where ids lead, for look-ups of single ids: one small item for each linked id. Only the fold writes them
 * (fold.ts), from the rows that it has put into the links files before. A pointer says where the id led when
 * it was written; from there on other pointers lead further.
 */
export function createPointers(state: StateTable) {
  /** What the state knows of these ids, by id. */
  async function read(scope: string, ids: readonly string[]): Promise<Map<string, KnownId>> {
    const bySk = new Map(ids.map(id => [pointerKey(id), id]))
    const items = await readItems(
      state,
      [...bySk.keys()].map(sk => ({ pk: partition(scope), sk })),
    )
    return new Map(items.map(item => [bySk.get(String(item.sk)) as string, toKnownId(item)]))
  }

  /** The same with all ids that they lead to. */
  async function follow(scope: string, ids: Iterable<string>): Promise<Map<string, KnownId>> {
    const known = new Map<string, KnownId>()
    const seen = new Set(ids)
    for (let asked = [...seen]; asked.length > 0; ) {
      const found = await read(scope, asked)
      const next: string[] = []
      for (const [id, knownId] of found) {
        known.set(id, knownId)
        if (knownId.to === null || seen.has(knownId.to)) continue
        seen.add(knownId.to)
        next.push(knownId.to)
      }
      asked = next
    }
    return cutCircles(known)
  }

  /**
   * The id that stands for a person, however many ids lead to it one after the other, and when the link of
   * `id` itself arrived, Unix ms; 0 without one. A long way is shortened, so the next look-up is a short one.
   */
  async function finalLink(scope: string, id: string): Promise<{ final: string; at: number }> {
    const first = await readPointer(scope, id)
    const at = first?.at ?? 0
    const way = new Map<string, string>()
    let final = id
    for (let link = first; link !== null; link = await readPointer(scope, final)) {
      // Links never make a circle. If a table has one all the same, every id of it leads to the same one.
      if (way.has(link.to) || link.to === final) return { final: endOfCircle(way, link.to), at }
      way.set(final, link.to)
      final = link.to
    }
    if (way.size > LONG_WAY) await shortenWay(scope, [...way], final)
    return { final, at }
  }

  async function readPointer(scope: string, id: string): Promise<{ to: string; at: number } | null> {
    const [item] = await readItems(state, [{ pk: partition(scope), sk: pointerKey(id) }])
    return item?.to === undefined ? null : { to: String(item.to), at: Number(item.at ?? 0) }
  }

  async function finalId(scope: string, id: string): Promise<string> {
    return (await finalLink(scope, id)).final
  }

  /** Does not throw: a look-up works without it. */
  async function shortenWay(
    scope: string,
    way: readonly (readonly [id: string, to: string])[],
    final: string,
  ): Promise<void> {
    const step = Math.ceil(way.length / MAX_SHORTENED)
    const some = way.filter(([, to], i) => i % step === 0 && to !== final)
    await forEachConcurrent(some, CONCURRENT_WRITES, ([id, to]) => redirect(scope, id, to, final)).catch(
      () => {},
    )
  }

  /**
   * Lets an id lead to the end of its way, if it still leads to the next id of it: it may have been erased
   * since, and been linked to another person.
   */
  function redirect(scope: string, id: string, to: string, final: string): Promise<boolean> {
    return conditionHeld(
      state.client.update({
        TableName: state.table,
        Key: { pk: partition(scope), sk: pointerKey(id) },
        UpdateExpression: 'SET #to = :final',
        ConditionExpression: '#to = :to',
        ExpressionAttributeNames: { '#to': 'to' },
        ExpressionAttributeValues: { ':to': to, ':final': final },
      }),
    )
  }

  /**
   * Writes the pointers of accepted links. Doing it twice changes nothing. `holders`: anonymous ids of the
   * scope that identified ids lead to from now on, and that lead nowhere themselves.
   */
  async function write(scope: string, rows: readonly LinkRow[], holders: readonly string[]): Promise<void> {
    const pk = partition(scope)
    const items = [
      ...holders.map(id => ({ pk, sk: pointerKey(id), holds: true })),
      ...rows.map(({ previous_id, user_id, linked_id, at, seq }) => ({
        ...{ pk, sk: pointerKey(previous_id), previous_id, user_id, to: linked_id, at, seq },
      })),
    ]
    await writeItems(
      state,
      items.map(Item => ({ PutRequest: { Item } })),
    )
  }

  /** Lets the ids of long ways lead directly to their ends, so that no way is walked twice. */
  async function shorten(scope: string, known: ReadonlyMap<string, KnownId>): Promise<void> {
    const finals = new Map<string, string>()
    const findFinal = (id: string) => {
      const way: string[] = []
      let final = id
      for (let to = known.get(final)?.to ?? null; to !== null; to = known.get(final)?.to ?? null) {
        way.push(final)
        final = finals.get(to) ?? to
      }
      for (const passed of way) finals.set(passed, final)
      return way.length
    }
    const long = [...known].filter(([id, { to }]) => to !== null && findFinal(id) > LONG_WAY)
    if (long.length === 0) return
    const indirect = [...known].flatMap(([id, { to }]) => {
      const final = finals.get(id)
      return to === null || final === undefined || final === to ? [] : [{ id, to, final }]
    })
    await forEachConcurrent(indirect, CONCURRENT_WRITES, ({ id, to, final }) =>
      redirect(scope, id, to, final),
    )
  }

  async function remove(scope: string, ids: readonly string[]): Promise<void> {
    const keys = new Set(ids.map(pointerKey))
    await writeItems(
      state,
      [...keys].map(sk => ({ DeleteRequest: { Key: { pk: partition(scope), sk } } })),
    )
  }

  return { read, follow, finalLink, finalId, write, shorten, remove }
}

export type Pointers = ReturnType<typeof createPointers>

/** The partition of all identity items of a project or of a joined scope. */
export function partition(scopeKey: string): string {
  return `identity#${scopeKey}`
}

/** A short text for an id of up to 768 bytes in a key: the first 128 bits of its SHA-256. */
export function idHash(id: string): string {
  return hash('sha256', id).slice(0, 32)
}

/** The part of the key of a pointer before the hash of its id. */
export const POINTERS = 'to#'

function pointerKey(id: string): ItemKey['sk'] {
  return `${POINTERS}${idHash(id)}`
}

function toKnownId({ to, user_id, holds }: Item): KnownId {
  return {
    to: to === undefined ? null : String(to),
    user_id: user_id === undefined ? null : String(user_id),
    holdsIdentified: holds === true,
  }
}

/** The id in a circle that all its ids lead to: the least one. `way`: ids and where they lead. */
function endOfCircle(way: ReadonlyMap<string, string>, from: string): string {
  const circle = [from]
  for (let to = way.get(from); to !== undefined && to !== from; to = way.get(to)) circle.push(to)
  return circle.reduce((least, id) => (id < least ? id : least))
}

/** Ids that lead to each other in a circle would never end a walk: one of them leads nowhere. */
function cutCircles(known: Map<string, KnownId>): Map<string, KnownId> {
  const ended = new Set<string>()
  for (const start of known.keys()) {
    const way = new Map<string, string>()
    let at: string | null = start
    while (at !== null && !ended.has(at) && !way.has(at)) {
      const to: string | null = known.get(at)?.to ?? null
      if (to !== null) way.set(at, to)
      else ended.add(at)
      at = to
    }
    if (at !== null && way.has(at)) {
      const end = endOfCircle(way, at)
      known.set(end, { ...(known.get(end) as KnownId), to: null })
    }
    for (const id of way.keys()) ended.add(id)
  }
  return known
}
