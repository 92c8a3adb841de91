import { rmSync } from 'node:fs'
import { createJobsServices } from '#aws/services'
import { createLakeWorker } from '#core/lake/jobs'
import { createCompactor } from '#duckdb/compactor'
import { jobsHandler } from './handler.ts'

const { services, compaction, instrument } = createJobsServices(process.env)
// The disk outlives the process, so an interrupted job has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
// Athena bills each scan, so its statements join all fragments in one scan and do not use what this would find.
const compactor = createCompactor({ ...services, ...compaction, findsSplit: false })
export const handler = instrument(
  jobsHandler({ ...createLakeWorker({ ...services, compactor }), log: services.log }),
)
