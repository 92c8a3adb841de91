import { createHash } from 'node:crypto'
import { forEachConcurrent } from '#core/async/concurrency'
import { slices } from '#core/async/slices'
import { ApiError } from '#core/errors'
import type { Clock } from '#core/ports'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { BATCH_WRITES, type ItemWrite, writeItems } from '#core/state/write-items'
import { MARK_KEY } from './mark.ts'

/** Requests with writes at the same time: some 4,000 items a second, as many as a new table takes. */
const WRITERS = 4
/** A table that is too busy gets the same writes again after this time, ms, and so often. */
const BUSY_MS = 1_000
const BUSY_TRIES = 60

/**
 * What the target itself writes while it only takes events: windows of limits, salts of addresses, counts of
 * refused events, and the live buffer. These are copied, too, but they are never deleted, and do not count as
 * different.
 */
const OF_INGESTION = /^(limit|refusals|live)#|^live-checkpoint |^install address-salt#/

/** What stays where it is: exports, because their files are no objects of the lake, and the mark itself. */
const UNMOVED = /^open-exports | \$export_\d+#/

export type MirroredItems = {
  /** Items of the source. */
  items: number
  /** Those of them that the target did not have, or had otherwise. */
  written: number
  /** Items of the target that the source does not have. */
  deleted: number
}

type MirrorOptions = {
  clock: Clock
  /** Only counts what differs. */
  isTrial?: boolean
}

/**
 * Makes a table the same as another one, item by item, as they are; the mark of a promotion stays. Nobody
 * else may write to either, except for what ingestion writes. It may be killed and repeated: what is the same
 * already is not written again. Items whose time is over count as absent on both sides. It remembers each
 * item of the target: some 250 bytes of memory. Throws ApiError UNAVAILABLE when a table cannot be reached.
 */
export async function mirrorItems(
  from: StateTable,
  to: StateTable,
  { clock, isTrial = false }: MirrorOptions,
): Promise<MirroredItems> {
  const hashes = new Map<string, string>()
  for await (const page of livePages(to, clock))
    for (const item of page) hashes.set(keyOf(item), hashOf(item))
  const mirrored = { items: 0, written: 0, deleted: 0 }
  const write = async (writes: readonly ItemWrite[]) => {
    if (!isTrial)
      await forEachConcurrent(slices(writes, BATCH_WRITES), WRITERS, batch =>
        writePatiently(to, batch, clock),
      )
  }
  for await (const all of livePages(from, clock)) {
    const page = isTrial ? all.filter(item => !isOfIngestion(item)) : all
    const changed = page.filter(item => hashes.get(keyOf(item)) !== hashOf(item))
    await write(changed.map(item => ({ PutRequest: { Item: item } })))
    for (const item of page) hashes.delete(keyOf(item))
    mirrored.items += page.length
    mirrored.written += changed.length
  }
  const surplus = [...hashes.keys()].map(key => JSON.parse(key) as Item).filter(key => !isOfIngestion(key))
  await write(surplus.map(Key => ({ DeleteRequest: { Key } })))
  return { ...mirrored, deleted: surplus.length }
}

/** The items of a table that a promotion moves, and whose time is not over. */
async function* livePages(table: StateTable, clock: Clock): AsyncGenerator<Item[]> {
  for await (const page of scanPages(table, {}))
    yield page.filter(item => isMoved(item) && !isExpired(item, clock.now()))
}

function isMoved(item: Item): boolean {
  return keyOf(item) !== keyOf(MARK_KEY) && !UNMOVED.test(`${item.pk} ${item.sk}`)
}

function isOfIngestion({ pk, sk }: Item): boolean {
  return OF_INGESTION.test(`${pk} ${sk}`)
}

/** `expires_at`: Unix seconds, after which a table deletes the item by itself, sooner or later. */
function isExpired({ expires_at }: Item, now: number): boolean {
  return typeof expires_at === 'number' && expires_at * 1_000 <= now
}

async function writePatiently(to: StateTable, batch: readonly ItemWrite[], clock: Clock): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await writeItems(to, batch)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE' || tries === BUSY_TRIES) throw error
      await clock.sleep(BUSY_MS)
    }
  }
}

function keyOf({ pk, sk }: Item): string {
  return JSON.stringify({ pk, sk })
}

function hashOf(item: Item): string {
  return createHash('sha256')
    .update(JSON.stringify(inOneForm(item)))
    .digest('base64')
}

/** The value in a form that has one text: attributes and members of sets have no order. */
function inOneForm(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Set) return { set: [...value].map(member => JSON.stringify(member)).toSorted() }
  if (Array.isArray(value)) return value.map(inOneForm)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return {
    map: entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => [name, inOneForm(each)]),
  }
}
