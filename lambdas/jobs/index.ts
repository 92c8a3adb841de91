import { rmSync } from 'node:fs'
import { createJobsServices } from '#aws/services'
import { createIdentityFold } from '#core/identity/fold/fold'
import type { IdentityJob } from '#core/identity/fold/fold-due'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createCompactor } from '#duckdb/compactor'
import { createLinksEngine } from '#duckdb/links-engine'
import { jobsHandler } from './handler.ts'

const { services, identity, compaction, instrument } = createJobsServices(process.env)
// The disk outlives the process, so an interrupted job has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
// Athena bills each scan, so its statements join all fragments in one scan, and need not know which sessions
// are split.
const minComparedEvents = Number.POSITIVE_INFINITY
const compactor = createCompactor({ ...services, ...compaction, minComparedEvents })
const worker = createLakeWorker({ ...services, compactor })
const fold = createIdentityFold({ ...identity, engine: createLinksEngine({ ...services, ...compaction }) })
const run = (job: LakeJob | IdentityJob) => (job.kind === 'fold-identity' ? fold.run() : worker.run(job))
export const handler = instrument(jobsHandler({ run, log: services.log }))
