import { Entity } from 'electrodb'
import type { Removed } from '#core/lake/tombstones'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state-table'

/** The receipt of an erasure. It has no id of the person. */
export type Erasure = {
  /** era_ and 16 hexadecimal digits. */
  id: string
  account_id: string
  project_id: string
  /** The name of the project when the erasure was requested. */
  project: string
  bucket: number
  /** The erasures of the same person in the other projects of a joined identity scope (U55). */
  others: readonly string[]
  /** Sessions with events of the person that reads returned until then. */
  sessions: number
  /** Links between ids, and profiles with traits or an e-mail index entry, that were deleted at once. */
  links: number
  profiles: number
  /** Unix ms. */
  requested_at: number
  /** Unix ms; null until the tombstone is forgotten. Before, the tombstone in the manifest has the progress. */
  completed_at: number | null
  removed: Removed | null
}

export type ErasureStore = ReturnType<typeof createErasureStore>

/** The receipts of erasures in the state table. They are kept for as long as the table: they prove that data was removed. */
export function createErasureStore(state: StateTable) {
  const erasures = erasureEntity(state)
  return {
    async create({
      others,
      ...erasure
    }: Omit<Erasure, 'completed_at' | 'removed' | 'links' | 'profiles'>): Promise<void> {
      await orUnavailable(erasures.put({ ...erasure, others: [...others] }).go())
    },
    async byId(id: string): Promise<Erasure | null> {
      const { data } = await orUnavailable(erasures.get({ id }).go({ consistent: true }))
      if (data === null) return null
      const { events, files, completed_at = null, links = 0, profiles = 0, others = [], ...erasure } = data
      const removed = events === undefined || files === undefined ? null : { events, files }
      return { ...erasure, links, profiles, others, completed_at, removed }
    },
    /** Notes what was deleted of the person's identity. */
    async noteIdentity(id: string, deleted: Pick<Erasure, 'links' | 'profiles'>): Promise<void> {
      await orUnavailable(erasures.patch({ id }).set(deleted).go())
    },
    /** Notes the end of an erasure. May be repeated. */
    async complete(id: string, completedAt: number, { events, files }: Removed): Promise<void> {
      await orUnavailable(erasures.patch({ id }).set({ completed_at: completedAt, events, files }).go())
    },
  }
}

function erasureEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'erasure', version: '1' },
      attributes: {
        id: { type: 'string', required: true },
        account_id: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        project: { type: 'string', required: true },
        bucket: { type: 'number', required: true },
        others: { type: 'list', items: { type: 'string' } },
        sessions: { type: 'number', required: true },
        links: { type: 'number' },
        profiles: { type: 'number' },
        requested_at: { type: 'number', required: true },
        completed_at: { type: 'number' },
        events: { type: 'number' },
        files: { type: 'number' },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}
