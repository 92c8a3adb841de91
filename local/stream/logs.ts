import { existsSync } from 'node:fs'
import { unpackedBytes } from '#core/ingest/packing'
import type { EventStream, Log, Now } from '#core/ports'
import { createBusyProjects } from './busy-projects.ts'
import { logPath } from './log-file.ts'
import { BUSY_SHARD, busyDir, type LogsReader, openLogsReader } from './logs-reader.ts'
import { LOCAL_SHARD } from './reader.ts'
import { type LocalStream, openStream } from './stream.ts'

export type LogsOptions = {
  log: Log
  clock: Now
  /** New records of a shard get sequences above this one. */
  minSequence(shard: string): Promise<string | null>
}

export type Logs = EventStream &
  Pick<LogsReader, 'bytesAfter' | 'newest'> & {
    /** Commits the waiting records, then closes the files. */
    close(): Promise<void>
  }

/** Pause before another try to open the busy log, ms. */
const REOPEN_MS = 60_000

/**
 * Opens the logs of a data folder for appending. Records of a project that sends much go to a log of their
 * own, and the pipeline takes from both in turns, so other projects do not wait behind a flood
 * (docs/decisions/2026-11-23-backlog.md). The busy log and its thread exist from the first busy project on.
 */
export async function openLogs(dir: string, { log, clock, minSequence }: LogsOptions): Promise<Logs> {
  const open = async (shard: string, folder: string) =>
    openStream(folder, { log, shard, minSequence: await minSequence(shard) })
  const ordinary = await open(LOCAL_SHARD, dir)
  const openBusy = () => open(BUSY_SHARD, busyDir(dir))
  // It may have records that the lake does not have yet.
  let busy: LocalStream | null = existsSync(logPath(busyDir(dir))) ? await openBusy() : null
  let opening: Promise<void> | null = null
  let openFrom = 0
  let isClosing = false
  const projects = createBusyProjects(clock)
  const reader = openLogsReader(dir)

  /** Opens the busy log in the background. Until then its records go to the ordinary one. */
  function startBusy(): void {
    if (opening !== null || isClosing || clock.now() < openFrom) return
    openFrom = clock.now() + REOPEN_MS
    opening = openBusy()
      .then(
        opened => {
          busy = opened
        },
        error => log('STREAM_UNAVAILABLE', { reason: String(error), shard: BUSY_SHARD }),
      )
      .finally(() => {
        opening = null
      })
  }

  function logOf(records: readonly Uint8Array[], project: string | undefined): LocalStream {
    const bytes = records.reduce((sum, record) => sum + unpackedBytes(record), 0)
    if (project === undefined || !projects.take(project, bytes)) return ordinary
    if (busy === null) startBusy()
    return busy ?? ordinary
  }

  return {
    append: (records, project) => logOf(records, project).append(records),
    shards: reader.shards,
    read: reader.read,
    bytesAfter: reader.bytesAfter,
    newest: reader.newest,
    async close() {
      isClosing = true
      await opening
      await Promise.all([ordinary.close(), busy?.close()])
      reader.close()
    },
  }
}
