import { hash } from 'node:crypto'
import { forEachConcurrent } from '#core/concurrency'
import type { KnownId } from '#core/identity/fold/decide-links'
import type { Item } from '#core/query-all'
import { readItems } from '#core/read-items'
import { conditionHeld, type ItemKey, type StateTable } from '#core/state-table'
import { writeItems } from '#core/write-items'
import type { LinkRow } from './links.ts'

/** Steps of a look-up of one id. Nobody links that many devices one after the other. */
export const MAX_HOPS = 16
/** Ways with more steps are shortened. */
const LONG_WAY = 4
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
    return known
  }

  /**
   * The id that stands for a person, and when the link of `id` itself arrived, Unix ms; 0 without one. After
   * MAX_HOPS steps it is the id of the last step.
   */
  async function finalLink(scope: string, id: string): Promise<{ final: string; at: number }> {
    let [final, at] = [id, 0]
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const items = await readItems(state, [{ pk: partition(scope), sk: pointerKey(final) }])
      const [pointer] = items
      if (pointer?.to === undefined) break
      if (hops === 0) at = Number(pointer.at ?? 0)
      final = String(pointer.to)
    }
    return { final, at }
  }

  async function finalId(scope: string, id: string): Promise<string> {
    return (await finalLink(scope, id)).final
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
    const indirect = [...known].filter(
      ([id, { to }]) => to !== null && finals.has(id) && finals.get(id) !== to,
    )
    await forEachConcurrent(indirect, CONCURRENT_WRITES, ([id]) =>
      conditionHeld(
        state.client.update({
          TableName: state.table,
          Key: { pk: partition(scope), sk: pointerKey(id) },
          UpdateExpression: 'SET #to = :to',
          ConditionExpression: 'attribute_exists(#to)',
          ExpressionAttributeNames: { '#to': 'to' },
          ExpressionAttributeValues: { ':to': finals.get(id) },
        }),
      ),
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
