import type { ExportJob } from '#core/exports/export'
import { createExportWorker } from '#core/exports/export-worker'
import { createExports, type Exports } from '#core/exports/exports'
import { createExportUpkeep, type ExportUpkeep } from '#core/exports/upkeep'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { Profile } from '#core/plans/profile'
import type { Clock, Lake, Log, QueryEngine } from '#core/ports'
import { createExportWriter } from '#duckdb/export-writer'
import { exportTempDir } from '#local/data-folder'
import { createJobQueue } from '#local/pipeline/job-queue'
import type { Storage } from '#local/storage'

/** Memory of the files that are being made, MB. Each has 64 MB of JSON at most. */
const MEMORY_MB = 256

export type LocalExportsOptions = {
  dataDir: string
  storage: Storage
  profile: Profile
  engine: QueryEngine
  openLake(): Promise<LakeSnapshot>
  lake: Lake
  clock: Clock
  log: Log
}

export type LocalExports = {
  exports: Exports
  upkeep: ExportUpkeep
  /** Ends the run of an export, which the next start goes on with. */
  stop(): Promise<void>
}

/** Exports on one machine: one at a time in this process, with the engine of the reads. */
export function openLocalExports(options: LocalExportsOptions): LocalExports {
  const { dataDir, storage, profile, engine, openLake, lake, clock, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const jobs = createJobQueue<ExportJob>({ run: job => worker.run(job), log, signal })
  const common = { ...storage, objects: storage.exportObjects, profile, jobs, clock }
  const worker = createExportWorker({
    ...common,
    // Its statements take turns with those of the accounts, as if it were one more.
    engine: { ...engine, rows: (query, turn) => engine.rows(query, { ...turn, account: 'export' }) },
    openLake,
    writer: createExportWriter({
      ...{ lake, log, signal, tempDir: exportTempDir(dataDir) },
      memoryMb: MEMORY_MB,
      threads: 1,
    }),
    stopping: signal,
  })
  return {
    exports: createExports({ ...common, addressOf: null }),
    upkeep: createExportUpkeep(common),
    async stop() {
      stopping.abort(new Error('The service stops'))
      await jobs.stop()
    },
  }
}
