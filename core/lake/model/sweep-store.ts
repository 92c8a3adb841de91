import { queryAll } from '#core/state/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import type { LakeStateStore } from './state.ts'
import { newSweep, type Sweep } from './sweep.ts'

const PARTITION = 'lake-sweeps'

/** The items of sweeps: one of 300 bytes for each bucket, and two. Every change is one conditional write. */
export function createSweepStore(
  state: StateTable,
): Pick<LakeStateStore, 'sweeps' | 'saveSweep' | 'forgetSweeps'> {
  const { client, table } = state

  async function sweeps(): Promise<Sweep[]> {
    const items = await queryAll(state, {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': PARTITION },
      ConsistentRead: true,
    })
    return items.map(toSweep)
  }

  async function saveSweep(sweep: Sweep): Promise<boolean> {
    const { name, version, hot, ...common } = sweep
    const progress = name === 'hot' ? { ...common, hot } : common
    const before = version - 1
    return conditionHeld(
      client.put({
        TableName: table,
        Item: { ...keyOf(name), version, progress: JSON.stringify(progress) },
        ConditionExpression: before === 0 ? 'attribute_not_exists(pk)' : 'version = :before',
        ...(before > 0 && { ExpressionAttributeValues: { ':before': before } }),
      }),
    )
  }

  return {
    sweeps,
    saveSweep,
    async forgetSweeps() {
      for (const { name } of await sweeps())
        await orUnavailable(client.delete({ TableName: table, Key: keyOf(name) }))
    },
  }
}

function keyOf(name: Sweep['name']) {
  return { pk: PARTITION, sk: name }
}

function toSweep({ sk, version, progress }: Record<string, unknown>): Sweep {
  const name = String(sk) as Sweep['name']
  return { ...newSweep(name), ...JSON.parse(String(progress)), name, version: Number(version) }
}
