import { createHash } from 'node:crypto'
import type { LakeStateStore } from '#core/lake/model/state'
import { type FoldDueServices, isFoldDue } from './fold-due.ts'

/** How often files are looked for although no shard has moved. */
const LOOK_EVERY_MS = 3_600_000
const MINUTE_MS = 60_000

export type FoldWatchServices = FoldDueServices & { lakeState: Pick<LakeStateStore, 'lake' | 'shards'> }

/**
 * Whether the fold has work, for a caller that asks every minute. Only the consumer writes files of identify
 * requests, and its claim ends after its file is written. So while no shard has moved since a look that found
 * nothing, no file is new, and none is looked for: a list of objects each minute would cost more than the
 * rest of an idle lake. Once an hour it looks anyway, for files that a restore has brought.
 */
export function createFoldWatch(services: FoldWatchServices): () => Promise<boolean> {
  let quietAt: string | null = null
  return async () => {
    const position = await readPosition(services.lakeState)
    const isHourly = services.clock.now() % LOOK_EVERY_MS < MINUTE_MS
    if (position !== quietAt || isHourly) quietAt = null
    const mayHaveFiles = quietAt === null
    let hasLooked = false
    const lake = {
      ...services.lake,
      async list(prefix: string) {
        if (!mayHaveFiles) return []
        hasLooked = true
        return services.lake.list(prefix)
      },
    }
    const isDue = await isFoldDue({ ...services, lake })
    // A look ends early while a fold runs.
    if (hasLooked && !isDue) quietAt = position
    return isDue
  }
}

/** Where all shards are: a text that changes with every claim that is opened or ended. */
async function readPosition(state: Pick<LakeStateStore, 'shards'>): Promise<string> {
  const shards = await state.shards()
  const hash = createHash('sha256')
  for (const { shard, highWater, claim } of shards)
    hash.update(JSON.stringify([shard, highWater, claim?.first, claim?.last]))
  return hash.digest('base64')
}
