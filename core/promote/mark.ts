import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'

/** The key of the only item that a promotion adds to the table. */
export const MARK_KEY = { pk: 'promotion', sk: 'mark' } as const

/**
 * How far the promotion into a table has come. `begun`: the table belongs to it, and the source may still be
 * started. `copied`: the table has everything, and only the target may write from now on. `done`: the target
 * runs.
 */
export type PromotionStep = 'begun' | 'copied' | 'done'

/** `source`: the id of the promoted source. `areStopped`: the writers were seen to be idle. */
export type PromotionMark = { source: string; step: PromotionStep; areStopped: boolean }

/** The mark in a table into which a folder is promoted. Without it the table is nobody's target. */
export function createMarks({ client, table }: StateTable) {
  return {
    async read(): Promise<PromotionMark | null> {
      const Item = await readItem({ client, table }, MARK_KEY)
      if (Item === undefined) return null
      const { source, step, are_stopped } = Item as {
        source: string
        step: PromotionStep
        are_stopped: boolean
      }
      return { source, step, areStopped: are_stopped }
    },

    /** Takes the table for a source. False: another promotion has taken it meanwhile. */
    begin(source: string): Promise<boolean> {
      const Item = { ...MARK_KEY, source, step: 'begun', are_stopped: false }
      return conditionHeld(
        client.put({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' }),
      )
    },

    /** Notes a step of the source that has the table. Throws if another one has it. */
    async note({ source, step, areStopped }: PromotionMark): Promise<void> {
      const held = await conditionHeld(
        client.put({
          TableName: table,
          Item: { ...MARK_KEY, source, step, are_stopped: areStopped },
          ConditionExpression: '#source = :source',
          ExpressionAttributeNames: { '#source': 'source' },
          ExpressionAttributeValues: { ':source': source },
        }),
      )
      if (!held) throw new Error('Another promotion has taken the table.')
    },
  }
}

export type Marks = ReturnType<typeof createMarks>
