import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCopiedReads } from '#aws/copied-reads'
import { createJobsServices } from '#aws/services'
import type { ExportJob } from '#core/exports/export'
import { createExportWorker } from '#core/exports/export-worker'
import { createIdentityFold } from '#core/identity/fold/fold'
import type { IdentityJob } from '#core/identity/fold/fold-due'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import type { ScanJob } from '#core/scans/scan'
import { createCompactor } from '#duckdb/compactor'
import { createExportWriter } from '#duckdb/export-writer'
import { createLinksEngine } from '#duckdb/links-engine'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { jobsHandler } from './handler.ts'

const { services, scans, exports, identity, compaction, instrument } = createJobsServices(process.env)
// The disk outlives the process, so an interrupted job has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
// Athena bills each scan, so its statements join all fragments in one scan, and need not know which sessions
// are split.
const minComparedEvents = Number.POSITIVE_INFINITY
const compactor = createCompactor({ ...services, ...compaction, minComparedEvents })
const worker = createLakeWorker({ ...services, compactor })
const fold = createIdentityFold({ ...identity, engine: createLinksEngine({ ...services, ...compaction }) })
const writer = createExportWriter({ ...services, ...compaction })

/** Memory and disk are free again for other jobs after it. */
async function runExport(job: ExportJob): Promise<void> {
  const tempDir = join(tmpdir(), 'export-reads')
  const memoryMb = compaction.memoryMb / 2
  const engine = await openCopiedReads({
    ...{ ...services, tempDir, memoryMb, threads: compaction.threads },
    openEngine: openQueryEngine,
  })
  try {
    await createExportWorker({ ...exports, engine, writer }).run(job)
  } finally {
    await engine.close()
  }
}

async function run(job: LakeJob | IdentityJob | ScanJob | ExportJob): Promise<void> {
  if (job.kind === 'scan') await scans.run(job)
  else if (job.kind === 'export') await runExport(job)
  else if (job.kind === 'fold-identity') await fold.run()
  else await worker.run(job)
}
export const handler = instrument(jobsHandler({ run, log: services.log }))
