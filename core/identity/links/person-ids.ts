import { unavailable } from '#core/errors'
import type { IdentityStore } from '#core/identity/identity-store'
import { type IdentityScope, ownScope, type ScopedProject } from '#core/identity/scopes'
import type { OpenLinks } from '#core/lake/model/open-links'
import { finalLinks } from '#core/lake/read/user-links'
import type { Row, SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'

/** Rows of a statement. */
const PAGE_ROWS = 10_000

/**
 * All ids that resolve to a final id, and the final id itself: a question to the lake, page by page, because
 * nothing else can list any number of them. `limit`: the search ends when it has so many.
 */
export async function personIds(
  rows: (query: SqlQuery) => Promise<readonly Row[]>,
  links: OpenLinks | null,
  finalId: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids = new Set([finalId])
  if (links === null) return [...ids]
  let after = ''
  while (ids.size < limit) {
    const count = Math.min(PAGE_ROWS, limit)
    const page = await rows(sql`SELECT previous_id AS id FROM (${finalLinks(links, 'id', null)}) AS link
      WHERE linked_id = ${finalId} AND previous_id > ${after} ORDER BY previous_id LIMIT ${integer(count)}`)
    for (const { id } of page) ids.add(String(id))
    if (page.length < count) break
    after = String(page.at(-1)?.id)
  }
  return [...ids].slice(0, limit)
}

/** Look-ups of other ids of a person in projects that are not joined yet. */
const MAX_LOOKED_UP = 100

/**
 * The projects that share a person, and all ids of the person in them. While the links of a joined scope are
 * still being made, each project is asked by its own links, and what one finds is asked of the others.
 */
export async function findPersonIds(
  { identity, rows }: { identity: PersonServices; rows: (query: SqlQuery) => Promise<readonly Row[]> },
  project: ScopedProject,
  userId: string,
): Promise<{ scope: IdentityScope; ids: string[] }> {
  const wanted = await identity.wantedScope(project)
  const usable = await identity.scopeOf(project)
  const scopes = usable.key === wanted.key ? [wanted] : wanted.projects.map(ownScope)
  const opened = await Promise.all(
    scopes.map(async scope => ({ scope, links: await identity.openLinks(scope) })),
  )
  // An erasure or a journey that misses ids of the person would be wrong for ever.
  if (opened.some(({ links }) => links?.isPartial))
    throw unavailable('Links of users are being made again. Send the same request again in a minute.', 60)
  const ids = new Set([userId])
  let lookedUp = 0
  for (const id of ids) {
    // With one scope the first id finds all others.
    if (lookedUp++ > (scopes.length === 1 ? 0 : MAX_LOOKED_UP)) break
    for (const { scope, links } of opened) {
      const final = await identity.finalId(scope, id)
      if (lookedUp > 1 && ids.has(final)) continue
      for (const other of await personIds(rows, links, final)) ids.add(other)
    }
  }
  return { scope: wanted, ids: [...ids] }
}

type PersonServices = Pick<IdentityStore, 'wantedScope' | 'scopeOf' | 'openLinks' | 'finalId'>
