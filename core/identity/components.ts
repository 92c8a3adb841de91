import { forEachConcurrent } from '#core/concurrency'
import type { LinkStore } from './link-store.ts'
import { type Link, resolveLinks } from './links.ts'
import type { IdentityScope } from './scopes.ts'

/** Queries of the state table that run at the same time. */
const CONCURRENT_QUERIES = 16

/** Reads the links around ids from the state table. */
export function createComponents(store: Pick<LinkStore, 'linksOf' | 'linksFrom'>) {
  /** All links that are connected with an id, in any number of steps. */
  async function readComponent(scope: IdentityScope, id: string): Promise<Link[]> {
    const links: Link[] = []
    const seen = new Set([id])
    for (let ids = [id]; ids.length > 0; ) {
      const next: string[] = []
      await forEachConcurrent(ids, CONCURRENT_QUERIES, async each => {
        for (const link of await readLinks(scope, each, store.linksOf)) {
          links.push(link)
          for (const end of [link.previous_id, link.user_id]) {
            if (seen.has(end)) continue
            seen.add(end)
            next.push(end)
          }
        }
      })
      ids = next
    }
    return links
  }

  /** The id that stands for a person: the one that reads show for all of the person's ids. */
  async function finalId(scope: IdentityScope, id: string): Promise<string> {
    if ((await readLinks(scope, id, store.linksFrom)).length === 0) return id
    return resolveLinks(await readComponent(scope, id)).get(id) ?? id
  }

  /** The final id of each id that begins one of the links, or that is connected with such an id and may have changed with it. */
  async function resolveAround(scope: IdentityScope, links: readonly Link[]): Promise<Map<string, string>> {
    const finals = new Map<string, string>()
    const connected = new Set<string>()
    await forEachConcurrent(links, CONCURRENT_QUERIES, async ({ previous_id, user_id }) => {
      if (finals.has(previous_id)) return
      if (await isNewEnd(scope, previous_id, user_id)) finals.set(previous_id, user_id)
      else connected.add(previous_id)
    })
    for (const id of connected) {
      if (finals.has(id)) continue
      for (const [previous, final] of resolveLinks(await readComponent(scope, id)))
        finals.set(previous, final)
    }
    return finals
  }

  /**
   * Whether `previousId` has no other link, and `userId` leads nowhere else. Then the link changes no other id. This is the common
   * case, and it needs two short queries however many ids the user has.
   */
  async function isNewEnd(scope: IdentityScope, previousId: string, userId: string): Promise<boolean> {
    const links = await readLinks(scope, previousId, store.linksOf)
    if (links.some(link => link.previous_id !== previousId || link.user_id !== userId)) return false
    return (await readLinks(scope, userId, store.linksFrom)).length === 0
  }

  return { readComponent, finalId, resolveAround }
}

/** The links of an id in all projects of a scope. */
async function readLinks(
  { projects }: IdentityScope,
  id: string,
  query: LinkStore['linksOf'],
): Promise<Link[]> {
  return (await Promise.all(projects.map(project => query(project.id, id)))).flat()
}
