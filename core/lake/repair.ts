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
 * Writes a damaged or missing object of the lake again: a hot file from the stream, a warm file from hot files, a cold
 * file or a rollup from warm files. Superseded files are kept for a day (maintenance.ts), so a repair works if the
 * damage is found in that time. Returns false and changes nothing if the sources are gone too. Then only an operator can
 * decide to go on without the object (docs/operations.md).
 */
export function createRepair({ consumer, worker, log }: RepairServices) {
  async function repair(key: string): Promise<boolean> {
    const isRepaired = await rewrite(key)
    log(isRepaired ? 'LAKE_OBJECT_REPAIRED' : 'LAKE_OBJECT_LOST', { key })
    return isRepaired
  }

  async function rewrite(key: string): Promise<boolean> {
    const hotFile = parseHotKey(key)
    if (hotFile !== null) return consumer.rewriteHotFile(hotFile.shard, hotFile.claim)
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
