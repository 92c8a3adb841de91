import type { Lake } from '#core/ports'
import { composeRows } from './levels.ts'
import { decodeLinks, encodeLinks } from './link-rows.ts'
import { compareLinks, type Link, type LinkRow } from './links.ts'

/** Ids of erased persons. Rows of an id that arrived until then go. */
export type RemovedIds = { scope: string; ids: ReadonlySet<string>; until: number }

/** What a file has lost: its rows, and those that are left. */
export type Removal = { removed: number; left: number }

/**
 * Reads and writes links files. duckdb/links-engine.ts does it with little memory, however large the files
 * are.
 */
export type LinksEngine = {
  /** Writes one file with the rows of all these, oldest first. Returns its rows. */
  merge(keys: readonly string[], target: string): Promise<number>
  /**
   * The links of scopes in the order of their arrival: at most `limit` after `after`. `known`: without those
   * whose previous id has a row in these files.
   */
  next(job: NextLinks): Promise<LinkRow[]>
  /** The ids of a scope that lead to these final ids. `keys`: all files, oldest first. */
  idsOf(keys: readonly string[], scope: string, finals: readonly string[]): Promise<string[]>
  /**
   * Writes a file anew without the rows of persons and of whole scopes. Null, and writes nothing, if it has
   * none of them.
   */
  remove(
    key: string,
    target: string,
    persons: readonly RemovedIds[],
    scopes: readonly string[],
  ): Promise<Removal | null>
}

export type NextLinks = {
  keys: readonly string[]
  scopes: readonly string[]
  after: Link | null
  limit: number
  known: { keys: readonly string[]; scope: string } | null
}

/** The engine for files of few rows: it holds them in memory. */
export function createSmallLinks(lake: Pick<Lake, 'get' | 'put'>): LinksEngine {
  async function read(key: string): Promise<LinkRow[]> {
    const bytes = await lake.get(key)
    if (bytes === null) throw new Error(`${key} is gone`)
    return decodeLinks(bytes)
  }

  return {
    async merge(keys, target) {
      let merged: LinkRow[] = []
      for (const key of keys.toReversed()) merged = composeRows(await read(key), merged)
      await lake.put(target, encodeLinks(merged))
      return merged.length
    },
    async next({ keys, scopes, after, limit, known }) {
      const knownIds = new Set<string>()
      for (const key of known?.keys ?? []) {
        for (const { scope, previous_id } of await read(key))
          if (scope === known?.scope) knownIds.add(previous_id)
      }
      const rows = (await Promise.all(keys.map(read))).flat()
      return rows
        .filter(row => scopes.includes(row.scope) && !knownIds.has(row.previous_id))
        .filter(row => after === null || compareLinks(row, after) > 0)
        .toSorted(compareLinks)
        .slice(0, limit)
    },
    async idsOf(keys, scope, finals) {
      const ids = new Set(finals)
      // What an older file leads to may have a row in a newer one.
      for (const key of keys.toReversed()) {
        const rows = (await read(key)).filter(row => row.scope === scope && ids.has(row.linked_id))
        for (const { previous_id } of rows) ids.add(previous_id)
      }
      return [...ids]
    },
    async remove(key, target, persons, scopes) {
      const rows = await read(key)
      const left = rows.filter(
        row => !scopes.includes(row.scope) && !persons.some(person => isOf(person, row)),
      )
      if (left.length === rows.length) return null
      if (left.length > 0) await lake.put(target, encodeLinks(left))
      return { removed: rows.length - left.length, left: left.length }
    },
  }
}

function isOf({ scope, ids, until }: RemovedIds, row: LinkRow): boolean {
  return row.scope === scope && row.at <= until && (ids.has(row.previous_id) || ids.has(row.user_id))
}
