import { rmSync } from 'node:fs'
import { createJobsServices } from '#aws/services'
import { createLakeWorker } from '#core/lake/jobs'
import { createCompactor } from '#duckdb/compactor'
import { jobsHandler } from './handler.ts'

const { services, compaction, instrument } = createJobsServices(process.env)
// The disk outlives the process, so an interrupted job has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
// Athena bills each scan, so its statements join all fragments in one scan, and need not know which sessions are split.
const minComparedEvents = Number.POSITIVE_INFINITY
const compactor = createCompactor({ ...services, ...compaction, minComparedEvents })
export const handler = instrument(
  jobsHandler({ ...createLakeWorker({ ...services, compactor }), log: services.log }),
)
