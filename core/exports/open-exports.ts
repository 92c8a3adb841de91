import type { Now } from '#core/ports'
import { queryAll } from '#core/state/query-all'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import type { Export, ExportKey } from './export.ts'

/** Exports that have not ended, of all projects. Each job of theirs keeps a worker for minutes. */
export const MAX_OPEN_EXPORTS = 20
/** An export that has not ended after this time never will, ms. */
const OPEN_MS = 86_400_000

const PARTITION = 'open-exports'

/** An export that has not ended. `begun_at`: Unix ms. */
export type OpenExport = ExportKey & { project_id: string; begun_at: number }

/**
 * The exports that have not ended: an item for each project, so that a project has one at a time, and that
 * maintenance finds those whose run was killed.
 */
export function createOpenExports({ client, table, clock }: StateTable & { clock: Now }) {
  /** Takes the place of its project. Returns false if another export of the project has it. */
  function take({ account_id, id, project_id }: Export): Promise<boolean> {
    const until = clock.now() + OPEN_MS
    const Item = {
      ...{ pk: PARTITION, sk: project_id, account_id, id, until },
      expires_at: Math.ceil(until / 1_000),
    }
    return conditionHeld(
      client.put({
        TableName: table,
        Item,
        ConditionExpression: 'attribute_not_exists(sk) OR #until < :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': clock.now() },
      }),
    )
  }

  /** Gives the place of its project back, if it has it. */
  async function release({ id, project_id }: Pick<Export, 'id' | 'project_id'>): Promise<void> {
    await conditionHeld(
      client.delete({
        TableName: table,
        Key: { pk: PARTITION, sk: project_id },
        ConditionExpression: '#id = :id',
        ExpressionAttributeNames: { '#id': 'id' },
        ExpressionAttributeValues: { ':id': id },
      }),
    )
  }

  async function list(): Promise<OpenExport[]> {
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': PARTITION },
      ConsistentRead: true,
    }
    const items = await queryAll({ client, table }, query)
    return items.map(({ sk, account_id, id, until }) => ({
      project_id: String(sk),
      account_id: String(account_id),
      id: String(id),
      begun_at: Number(until) - OPEN_MS,
    }))
  }

  return { take, release, list }
}
