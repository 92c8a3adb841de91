import type { Log } from '#core/ports'
import type { LakeConsumer } from './consumer.ts'
import type { LakeWorker } from './jobs.ts'
import { parseHotKey, parseSegmentKey } from './keys.ts'

export type RepairServices = {
  consumer: Pick<LakeConsumer, 'rewriteHotFile'>
  worker: Pick<LakeWorker, 'repairSegment'>
  log: Log
}

/**
 * Writes a damaged or missing object of the lake again: a hot file from the stream, a file of a segment from the hot files of
 * its epoch or from the segments that it was merged from. Superseded files are kept for a day (maintenance.ts), so a repair
 * works if the damage is found in that time. Returns false and changes nothing if the sources are gone too. Then only an operator can
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
    const file = parseSegmentKey(key)
    return file !== null && worker.repairSegment(file.bucket, file.segment)
  }

  return repair
}
