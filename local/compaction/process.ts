import './priority.ts'
import { rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { ownObjects } from '#core/lake/model/own-objects'
import type { Log } from '#core/ports'
import { createCompactor } from '#duckdb/compactor'
import { createLinksEngine } from '#duckdb/links-engine'
import { compactionTempDir, lakeDir } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import type { CompactionCall, CompactionEngines, CompactionMessage, CompactionStart } from './start.ts'

/**
 * The code of the process of compaction. It runs one engine call after another, or several at once, until the
 * service ends it.
 */
const { dataDir, memoryMb, priority }: CompactionStart = JSON.parse(process.argv[2] as string)
/** Of this process alone: there is one of each priority. */
const tempDir = join(compactionTempDir(dataDir), priority)

/**
 * Links are merged beside compactions and have a memory of their own, this part of that of compaction and at
 * least MIN_LINKS_MB: below it DuckDB writes almost everything to the disk.
 */
const LINKS_PART = 1 / 2
const MIN_LINKS_MB = 64
const linksMb = Math.max(MIN_LINKS_MB, Math.round(memoryMb * LINKS_PART))

const send = (message: CompactionMessage) => process.send?.(message)
const log: Log = (code, fields = {}) => send({ kind: 'log', code, fields })
const lake = ownObjects(createFolderLake(lakeDir(dataDir)), log)
const engines: CompactionEngines = {
  // With two threads DuckDB holds two row groups. With the default memory it then spills, and takes three
  // times as long.
  compactor: createCompactor({ lake, tempDir, log, memoryMb, threads: 1 }),
  links: createLinksEngine({ lake, tempDir, log, memoryMb: linksMb }),
}

// A process that was killed leaves its files.
const ready = rm(tempDir, { recursive: true, force: true })

// The service decides what a signal to the whole group means.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {})
// The service has ended. Not process.exit: DuckDB aborts a process that exits while a thread runs a
// statement.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', async ({ id, engine, method, args }: CompactionCall) => {
  try {
    await ready
    const methods = engines[engine] as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
    send({ kind: 'done', id, result: await methods[method]?.(...args) })
  } catch (error) {
    send({ kind: 'failed', id, error })
  }
})
flushCompileCache()
