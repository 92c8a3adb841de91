import type { Link } from '#core/identity/links/links'
import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'

/** A project of a joined scope, with the bucket that has its links. */
export type ScopeMember = { id: string; bucket: number }

/** What was removed of a person. */
export type RemovedIdentity = { links: number; profiles: number; emails: number }

/**
 * Work for the fold beside new identify requests. It is done in small steps, and each step may be repeated.
 */
export type IdentityWork =
  /** Makes the links of a joined scope from those of its members (scope-builds.ts). */
  | {
      kind: 'build'
      id: string
      bucket: number
      members: readonly ScopeMember[]
      /** Where the next step goes on; null: at the first link. */
      after: Link | null
      /** How often all links were looked through before. */
      passes: number
    }
  /**
   * Removes links and traits of persons (removals.ts). Lists of ids are in an object of the lake, because
   * they can be long.
   */
  | {
      kind: 'remove'
      id: string
      scopes: readonly ScopeMember[]
      ids_key: string
      until: number
      /** What the state has lost. Absent: nothing yet. The links files come later, many persons together. */
      removed?: RemovedIdentity
    }
  /** Removes all links of a scope. */
  | { kind: 'drop'; id: string; bucket: number }
  /**
   * Makes the links files of a bucket from the pointers, because a file was lost or damaged. `id` is the
   * bucket.
   */
  | { kind: 'rebuild'; id: string }

const PARTITION = 'identity-work'

/** The list of work: one item each, until it is done. */
export function createIdentityWork({ client, table }: StateTable) {
  async function list(): Promise<IdentityWork[]> {
    const items = await queryItems({ client, table }, PARTITION, ' ', '~')
    return items.map(({ work }) => JSON.parse(String(work)) as IdentityWork)
  }

  /** Adds work, or notes how far it is. */
  async function save(work: IdentityWork): Promise<void> {
    const Item = { ...keyOf(work), work: JSON.stringify(work) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  async function has(work: Pick<IdentityWork, 'kind' | 'id'>): Promise<boolean> {
    const Key = keyOf(work)
    return (await readItem({ client, table }, Key)) !== undefined
  }

  async function remove(work: Pick<IdentityWork, 'kind' | 'id'>): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: keyOf(work) }))
  }

  return { list, save, has, remove }
}

export type IdentityWorkList = ReturnType<typeof createIdentityWork>

function keyOf({ kind, id }: Pick<IdentityWork, 'kind' | 'id'>) {
  return { pk: PARTITION, sk: `${kind}#${id}` }
}
