import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { checksumOf, type Damage, INSERT_RECORD, type LogLimits, openLogFile } from './log-file.ts'

/**
 * The code of the commit thread, the only writer of records. It commits each group of records in one transaction and
 * then reports the result. It has its own thread because a commit waits for the disk
 * (docs/decisions/2026-11-21-stream-log.md).
 */

export type WriterStart = { dir: string; minSequence: number; now: number; limits: LogLimits }

/** The records of a group lie one after the other in `bytes`. */
export type WriterGroup = { lengths: Uint32Array; bytes: Uint8Array; appendedAt: number }

export type WriterResponse =
  | { kind: 'opened'; damage: Damage | null }
  | { kind: 'committed' }
  /** The transaction was rolled back. `code` is SQLite's result code. */
  | { kind: 'refused'; message: string; code: number | null }

const port = parentPort
if (port !== null) {
  const { dir, minSequence, now, limits } = workerData as WriterStart
  const { database, highest, damage } = openLogFile(dir, minSequence, now, limits)
  const commit = createCommit(database, highest)
  port.on('message', (group: WriterGroup | 'close') => {
    if (group !== 'close') return port.postMessage(commit(group))
    database.close()
    port.close()
  })
  port.postMessage({ kind: 'opened', damage } satisfies WriterResponse)
}

function createCommit(database: DatabaseSync, highest: number) {
  const begin = database.prepare('BEGIN IMMEDIATE')
  const insert = database.prepare(INSERT_RECORD)
  const commit = database.prepare('COMMIT')
  let sequence = highest
  return ({ lengths, bytes, appendedAt }: WriterGroup): WriterResponse => {
    try {
      begin.run()
      let at = 0
      for (const length of lengths) {
        const data = bytes.subarray(at, at + length)
        at += length
        // A failed commit does not give the sequence back, so two records never get the same one.
        sequence += 1
        insert.run(sequence, appendedAt, checksumOf(sequence, data), data)
      }
      commit.run()
      return { kind: 'committed' }
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) database.exec('ROLLBACK')
      const { errcode, message } = error as Error & { errcode?: number }
      return { kind: 'refused', message, code: errcode ?? null }
    }
  }
}
