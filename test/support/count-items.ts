import type { Item } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'

export type ItemCounts = { read: number; written: number }

type Command = { constructor: { name: string }; input: { RequestItems?: Record<string, unknown> } }
type Answer = { Items?: Item[]; ScannedCount?: number }

/**
 * A state table that counts items: those that requests ask for or get, and those that they write or delete.
 * A write whose condition fails counts too.
 */
export function countItems({ client, table }: StateTable) {
  const counts: ItemCounts = { read: 0, written: 0 }
  const send = client.send.bind(client) as (command: Command, ...rest: unknown[]) => Promise<Answer>

  async function counted(command: Command, ...rest: unknown[]): Promise<Answer> {
    const kind = command.constructor.name.replace(/Command$/, '')
    const requests = command.input.RequestItems?.[table]
    if (kind === 'BatchGet') counts.read += (requests as { Keys: unknown[] }).Keys.length
    if (kind === 'BatchWrite') counts.written += (requests as unknown[]).length
    if (kind === 'Get') counts.read += 1
    if (['Put', 'Update', 'Delete'].includes(kind)) counts.written += 1
    const answer = await send(command, ...rest)
    if (kind === 'Query' || kind === 'Scan') counts.read += answer.ScannedCount ?? answer.Items?.length ?? 0
    return answer
  }

  const countingClient = new Proxy(client, {
    get: (target, name) => (name === 'send' ? counted : Reflect.get(target, name, target)),
  })

  /** Runs `work` and returns the items that it has read and written. */
  async function measure(work: () => Promise<unknown>): Promise<ItemCounts> {
    const before = { ...counts }
    await work()
    return { read: counts.read - before.read, written: counts.written - before.written }
  }

  return { state: { client: countingClient, table }, measure }
}
