import { rmSync } from 'node:fs'
import { createRestoreServices } from '#aws/services'
import { createCompactor } from '#duckdb/compactor'
import { restoreHandler } from './handler.ts'

const { services, compaction, instrument } = createRestoreServices(process.env)
// The disk outlives the process, so an interrupted call has left its files there.
rmSync(compaction.tempDir, { recursive: true, force: true })
const compactor = createCompactor({ ...services, ...compaction })
export const handler = instrument(restoreHandler({ ...services, compactor }))
