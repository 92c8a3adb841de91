import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'

/** What is to be done with the traits files of a project (traits-files.ts). */
export type TraitsWork = {
  id: string
  bucket: number
  /** When, Unix ms. */
  due: number
  /** The state has other traits than the files. Else there are only replaced files to delete. */
  isChanged: boolean
  /** A file is gone or was never written, so the files are written without waiting. */
  isLost: boolean
}

const PARTITION = 'identity-traits'

/**
 * The list of this work: one item of some 150 bytes for each project whose traits have changed within the
 * last six hours, however many users it has. Each look reads all of it: 20,000 such projects are four pages.
 */
export function createTraitsWork({ client, table }: StateTable) {
  /** What is due until then, Unix ms. */
  async function due(until: number): Promise<TraitsWork[]> {
    const items = await queryItems({ client, table }, PARTITION, ' ', '~')
    const all = items.map(({ work }) => JSON.parse(String(work)) as TraitsWork)
    return all.filter(each => each.due <= until)
  }

  /** What is to be done for a project; null: nothing. */
  async function read(id: string): Promise<TraitsWork | null> {
    const Key = { pk: PARTITION, sk: id }
    const Item = await readItem({ client, table }, Key)
    return Item === undefined ? null : (JSON.parse(String(Item.work)) as TraitsWork)
  }

  async function save(work: TraitsWork): Promise<void> {
    const Item = { pk: PARTITION, sk: work.id, work: JSON.stringify(work) }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  async function remove(id: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: PARTITION, sk: id } }))
  }

  return { due, read, save, remove }
}
