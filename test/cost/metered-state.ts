import { openTestState, type TestState } from '#test/support/state'

/** Units that DynamoDB would bill. */
export type Units = { reads: number; writes: number }

const READS = new Set(['GetItemCommand', 'QueryCommand', 'BatchGetItemCommand'])
const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand'])

/** A state whose requests are counted in the units that dynalite says they consume, which are those of DynamoDB. */
export async function openMeteredState() {
  const state: TestState = await openTestState()
  const used: Units = { reads: 0, writes: 0 }
  state.client.middlewareStack.add(
    (next, context) => async args => {
      const name = context.commandName ?? ''
      const input = { ...(args.input as object), ReturnConsumedCapacity: 'TOTAL' }
      try {
        const answered = await next({ ...args, input } as typeof args)
        const { ConsumedCapacity } = answered.output as {
          ConsumedCapacity?: { CapacityUnits?: number } | { CapacityUnits?: number }[]
        }
        count(
          name,
          [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0),
        )
        return answered
      } catch (error) {
        // A condition that does not hold is billed as a write of the item.
        count(name, 1)
        throw error
      }
    },
    { step: 'initialize', name: 'meter' },
  )

  function count(name: string, units: number): void {
    if (READS.has(name)) used.reads += units
    else if (WRITES.has(name)) used.writes += units
    else throw new Error(`${name} is not counted`)
  }

  return {
    ...state,
    /** What the work consumes. */
    async metered(work: () => Promise<unknown>): Promise<Units> {
      const before = { ...used }
      await work()
      return { reads: used.reads - before.reads, writes: used.writes - before.writes }
    },
  }
}
