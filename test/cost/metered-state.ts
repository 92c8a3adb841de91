import { openDynaliteState } from '#test/support/dynalite-state'

/** Read and write units, which DynamoDB bills. */
export type Units = { reads: number; writes: number }

const READS = new Set(['GetItemCommand', 'QueryCommand', 'BatchGetItemCommand'])
const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand', 'BatchWriteItemCommand'])

/**
 * Opens a state that counts consumed units: dynalite reports the same units as DynamoDB.
 */
export async function openMeteredState() {
  const state = await openDynaliteState()
  const consumed: Units = { reads: 0, writes: 0 }
  state.client.middlewareStack.add(
    (next, context) => async args => {
      const name = context.commandName ?? ''
      const input = { ...(args.input as object), ReturnConsumedCapacity: 'TOTAL' }
      try {
        const result = await next({ ...args, input } as typeof args)
        const { ConsumedCapacity } = result.output as {
          ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[]
        }
        count(
          name,
          [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0),
        )
        return result
      } catch (error) {
        // DynamoDB bills a failed condition as a write of the item.
        count(name, 1)
        throw error
      }
    },
    { step: 'initialize', name: 'meter' },
  )

  function count(name: string, units: number): void {
    if (READS.has(name)) consumed.reads += units
    else if (WRITES.has(name)) consumed.writes += units
    else throw new Error(`The meter does not know the command ${name}.`)
  }

  return {
    ...state,
    /** Runs `work` and returns the units that it consumed. */
    async measure(work: () => Promise<unknown>): Promise<Units> {
      const before = { ...consumed }
      await work()
      return { reads: consumed.reads - before.reads, writes: consumed.writes - before.writes }
    },
  }
}
