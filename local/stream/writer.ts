import { flushCompileCache } from 'node:module'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { type HighFile, openHighFile } from './high-file.ts'
import {
  checksumOf,
  type Damage,
  INSERT_RECORD,
  type LogLimits,
  openLogFile,
  raiseFloor,
  reopenLogFile,
} from './log-file.ts'
import type { Shortfall } from './shortfall.ts'

/**
 * The code of the commit thread, the only writer of records. It commits each group of records in one
 * transaction and then reports the result. It has its own thread because a commit waits for the disk
 * (docs/decisions/2026-11-21-stream-log.md).
 */

export type WriterStart = {
  dir: string
  minSequence: number
  now: number
  limits: LogLimits
  /** The thread before it has ended, and the process goes on. */
  isRestart: boolean
}

/** The records of a group lie one after the other in `bytes`. */
export type WriterGroup = { lengths: Uint32Array; bytes: Uint8Array; appendedAt: number }

/** `raise-floor` says that the shortfall of the log is reported. A start before that reports it again. */
export type WriterMessage = WriterGroup | 'raise-floor' | 'close'

export type WriterResponse =
  | { kind: 'opened'; damage: Damage | null; shortfall: Shortfall | null }
  | { kind: 'committed' }
  /** The transaction was rolled back. `code` is SQLite's result code. */
  | { kind: 'refused'; message: string; code: number | null }

const port = parentPort
if (port !== null) {
  const { dir, minSequence, now, limits, isRestart } = workerData as WriterStart
  const { database, highest, damage, shortfall } = isRestart
    ? reopenLogFile(dir, minSequence, limits)
    : openLogFile(dir, minSequence, now, limits)
  const highFile = openHighFile(dir)
  const commit = createCommit(database, highFile, highest)
  port.on('message', (message: WriterMessage) => {
    if (message === 'raise-floor') return tryToRaiseFloor(database, highest)
    if (message !== 'close') return port.postMessage(commit(message))
    database.close()
    highFile.close()
    port.close()
  })
  port.postMessage({ kind: 'opened', damage, shortfall } satisfies WriterResponse)
  flushCompileCache()
}

/** On a full disk the floor stays. Then the next start reports the shortfall again. */
function tryToRaiseFloor(database: DatabaseSync, sequence: number): void {
  try {
    raiseFloor(database, sequence)
  } catch {}
}

function createCommit(database: DatabaseSync, highFile: HighFile, highest: number) {
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
      highFile.write(sequence)
      return { kind: 'committed' }
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) database.exec('ROLLBACK')
      const { errcode, message } = error as Error & { errcode?: number }
      return { kind: 'refused', message, code: errcode ?? null }
    }
  }
}
