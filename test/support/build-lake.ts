import type { StreamRecord } from '#core/ingest/record'
import type { Compactor } from '#core/lake/compactor'
import { coldCompactionJobs, warmKeys } from '#core/lake/jobs'
import { hotKey } from '#core/lake/keys'
import { encodeHot } from '#core/lake/parquet'
import { toHotRows } from '#core/lake/rows'
import type { Snapshot } from '#core/lake/state'
import type { Lake } from '#core/ports'
import { createCompactor } from '#duckdb/compactor'

export type EventsRecord = Extract<StreamRecord, { kind: 'events' }>

export type LakeContent = {
  lake: Lake
  /** Folder for the compactor's temporary files. */
  tempDir: string
  /** Epochs from 1 on. Each is a list of hot files, and each file a list of records. */
  epochs: readonly (readonly (readonly EventsRecord[])[])[]
  /** Epochs below this one are warm. Default: none. */
  warm?: number
  /** Ends of the cold compactions, ascending. The last one is the snapshot's `cold`. Default: none. */
  coldEnds?: readonly number[]
  compactor?: Compactor
}

/** Writes a lake with the service's own encoder and compactor. Returns the snapshot that reads all of it. */
export async function buildLake({
  lake,
  tempDir,
  epochs,
  warm = 1,
  coldEnds = [],
  compactor = createCompactor({ lake, tempDir, log: () => {}, threads: 1 }),
}: LakeContent): Promise<Snapshot> {
  let cold = 1
  for (const [i, files] of epochs.entries()) {
    const epoch = i + 1
    const hot: string[] = []
    for (const [file, records] of files.entries()) {
      const key = hotKey('0', { first: String(file), last: String(file), epoch })
      await lake.put(key, encodeHot(records.flatMap(record => toHotRows(record))))
      hot.push(key)
    }
    if (epoch >= warm) continue
    await compactor.compactEpoch({
      epoch,
      hot,
      lookback: await warmKeys(lake, cold, epoch),
      part: 0,
      parts: 1,
    })
  }
  for (const until of coldEnds) {
    for (const job of await coldCompactionJobs(lake, cold, until)) {
      if (job.kind !== 'compact-cold') continue
      await compactor.compactToCold({ ...job, warm: await warmKeys(lake, job.from, job.until, job.bucket) })
    }
    cold = until
  }
  return { epoch: Math.max(epochs.length, warm), warm, cold }
}
