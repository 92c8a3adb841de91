import { Entity } from '#core/state/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'

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
  /** The number of its tombstones in the bucket. */
  number: number
  /** Events and sessions of the person that reads returned until then. */
  events: number
  sessions: number
  /** Replays of the person, which are deleted at once. */
  replays: number
  /**
   * Links between ids, and profiles with traits or an e-mail index entry, that the fold has deleted
   * (core/identity).
   */
  links: number
  profiles: number
  /** Whether these two are known: only then the erasure is done. */
  isIdentityRemoved: boolean
  /** Unix ms. */
  requested_at: number
}

/**
 * When the erasures `first` to `number` of a bucket were done, Unix ms, and how many files were written anew
 * for them.
 */
export type Completion = { first: number; number: number; doneAt: number; files: number }

export type ErasureStore = ReturnType<typeof createErasureStore>

/**
 * The receipts of erasures in the state table. They are kept for as long as the table: they prove that data
 * was removed.
 */
export function createErasureStore(state: StateTable) {
  const { client, table } = state
  const erasures = erasureEntity(state)
  return {
    async create({
      others,
      ...erasure
    }: Omit<Erasure, 'links' | 'profiles' | 'isIdentityRemoved'>): Promise<void> {
      await orUnavailable(erasures.put({ ...erasure, others: [...others] }).go())
    },
    async byId(id: string): Promise<Erasure | null> {
      const { data } = await orUnavailable(erasures.get({ id }).go({ consistent: true }))
      if (data === null) return null
      const { links = 0, profiles = 0, replays = 0, others = [], ...erasure } = data
      const isIdentityRemoved = data.links !== undefined
      return { ...erasure, replays, links, profiles, others, isIdentityRemoved }
    },
    /** Notes what was deleted of the person's identity. */
    async noteIdentity(id: string, { links, profiles }: Pick<Erasure, 'links' | 'profiles'>): Promise<void> {
      await conditionHeld(erasures.patch({ id }).set({ links, profiles }).go())
    },
    /**
     * Notes that the erasures of a batch of tombstones are done. One item for all of them. May be repeated.
     */
    async complete(bucket: number, { number, ...completion }: Completion): Promise<void> {
      const Item = { ...completionKey(bucket, number), number, ...completion }
      await orUnavailable(client.put({ TableName: table, Item }))
    },
    /** When the erasure of this number was done; null if that was never noted. */
    async completionOf(bucket: number, number: number): Promise<Completion | null> {
      const { pk, sk } = completionKey(bucket, number)
      const { Items = [] } = await orUnavailable(
        client.query({
          TableName: table,
          KeyConditionExpression: 'pk = :pk AND sk >= :sk',
          ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
          ConsistentRead: true,
          Limit: 1,
        }),
      )
      const found = Items[0] as Completion | undefined
      return found === undefined || found.first > number ? null : found
    },
  }
}

/** The completions of a bucket lie in the order of their numbers. */
function completionKey(bucket: number, number: number) {
  return { pk: `erasures#${bucket}`, sk: String(number).padStart(12, '0') }
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
        number: { type: 'number', required: true },
        sessions: { type: 'number', required: true },
        replays: { type: 'number' },
        links: { type: 'number' },
        profiles: { type: 'number' },
        requested_at: { type: 'number', required: true },
        events: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['id'], sk: [] }),
    },
    { client, table },
  )
}
