import { rmSync } from 'node:fs'
import { createJobsServices } from '#aws/services'
import { createIdentityFold } from '#core/identity/fold/fold'
import type { IdentityJob } from '#core/identity/fold/fold-due'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import type { ScanJob } from '#core/scans/scan'
import { createCompactor } from '#duckdb/compactor'
import { createLinksEngine } from '#duckdb/links-engine'
import { jobsHandler } from './handler.ts'

const { services, scans, identity, compaction, instrument } = createJobsServices(process.env)
// The disk outlives the process, so an interrupted job has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
// Athena bills each scan, so its statements join all fragments in one scan, and need not know which sessions
// are split.
const minComparedEvents = Number.POSITIVE_INFINITY
const compactor = createCompactor({ ...services, ...compaction, minComparedEvents })
const worker = createLakeWorker({ ...services, compactor })
const fold = createIdentityFold({ ...identity, engine: createLinksEngine({ ...services, ...compaction }) })
async function run(job: LakeJob | IdentityJob | ScanJob): Promise<void> {
  if (job.kind === 'scan') await scans.run(job)
  else if (job.kind === 'fold-identity') await fold.run()
  else await worker.run(job)
}
export const handler = instrument(jobsHandler({ run, log: services.log }))
