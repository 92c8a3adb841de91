import type { Log } from '#core/ports'
import { tables } from '#schemas/columns'
import type { LakeConsumer } from './consumer.ts'
import type { LakeWorker } from './jobs.ts'
import { coldEpochRange, parseHotKey, partitionValue } from './keys.ts'

export type RepairServices = {
  consumer: Pick<LakeConsumer, 'rewriteHotFile'>
  worker: Pick<LakeWorker, 'repeatJob'>
  log: Log
}

/**
 * Makes a damaged or missing object of the lake anew from what it was made of: a hot file from the stream, a warm one
 * from hot, a cold one or a rollup from warm. The finer copy is kept for about a day (maintenance.ts), so damage that
 * is met soon is mended; `false` when the finer copy is gone too. Then nothing is changed, and only an operator can
 * decide to go on without the object (docs/operations.md).
 */
export function createRepair({ consumer, worker, log }: RepairServices) {
  async function repair(key: string): Promise<boolean> {
    const mended = await remake(key)
    log(mended ? 'LAKE_OBJECT_REPAIRED' : 'LAKE_OBJECT_LOST', { key })
    return mended
  }

  async function remake(key: string): Promise<boolean> {
    const hot = parseHotKey(key)
    if (hot !== null) return consumer.rewriteHotFile(hot.shard, hot.claim)
    if (key.startsWith(`${tables.events_warm.prefix}/`)) {
      return worker.repeatJob({
        kind: 'compact-warm',
        epoch: Number(partitionValue(key, 'epoch')),
        part: 0,
        parts: 1,
      })
    }
    const [from, until] = coldEpochRange(key)
    return worker.repeatJob({
      kind: 'compact-cold',
      from,
      until,
      bucket: Number(partitionValue(key, 'bucket')),
    })
  }

  return repair
}
