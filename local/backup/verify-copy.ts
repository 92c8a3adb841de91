import type { KeyObject } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { ownObjects } from '#core/lake/model/own-objects'
import { openLake } from '#core/lake/read/snapshot'
import type { Log } from '#core/ports'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { lakeDir, queryTempDir } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { openStorage } from '#local/storage'
import { systemClock as clock } from '#providers/system-clock'
import { type ExpectedDays, findCopy, UNFINISHED } from './copy-list.ts'
import { type Counted, countDays } from './count-days.ts'
import { deleteUnfinished, lockBackups } from './lock-backups.ts'
import { type OpenedCopy, openCopy } from './open-copy.ts'
import { unpackCopy } from './restore-copy.ts'
import { s3Address } from './s3-address.ts'
import { openSealing } from './sealing.ts'

export type VerifyOptions = {
  /** A copy, or a folder or an S3 address of copies: the newest one of them. */
  from: string
  /** Null: the copy is not sealed. */
  key: KeyObject | null
  memoryMb?: number
}

export type Verdict = {
  copy: string
  made_at: string
  files: number
  bytes: number
  projects: number
  days: number
  events: number
  /** Whether the copy knows what the service counted. */
  isCounted: boolean
  /** What is wrong, a sentence each. Empty: the copy is good. */
  problems: string[]
}

/** Memory of the look into the copy, MB: about that of a service. */
const MEMORY_MB = 256
/** A count of a large lake may take longer than a report. */
const TIMEOUT_MS = 600_000
/** Log lines of a start that found less than there was. */
const LOSSES: readonly string[] = [
  'EVENTS_LOST',
  'LAKE_BEHIND',
  'RECORDS_MISSING',
  'STREAM_DAMAGED',
  'STATE_REPAIRED',
]

/**
 * Looks whether a copy is good: compares every file with what was copied, opens the copy as a start of the
 * service would, in a folder beside it or among the temporary files, and counts the events by project and day
 * against what the service counted while the copy was made. Takes the room of state and log for as long as it
 * runs; of a sealed copy or one in a bucket that of all files. Throws FolderError when it is no copy, or the
 * key is another one.
 */
export async function verifyCopy({ from, key, memoryMb = MEMORY_MB }: VerifyOptions): Promise<Verdict> {
  const sealing = openSealing(key)
  const room = s3Address(from) === null ? await roomBeside(findCopy(from).backups) : roomElsewhere()
  const { scratch } = room
  let opened: OpenedCopy | null = null
  try {
    opened = await openCopy(from, sealing, scratch)
    const { copy, list } = opened
    const verdict = {
      ...{ copy, made_at: list.made_at, files: list.files.length, isCounted: list.days !== null },
      bytes: list.files.reduce((sum, { bytes }) => sum + bytes, 0),
    }
    const damaged = await unpackCopy(opened, scratch, sealing)
    if (damaged.length > 0) return { ...verdict, projects: 0, days: 0, events: 0, problems: damaged }
    const { counted, losses } = await countCopy(scratch, memoryMb)
    const counts = Object.values(counted.days).flatMap(days => Object.values(days))
    return {
      ...verdict,
      projects: Object.keys(counted.days).length,
      days: new Set(Object.values(counted.days).flatMap(days => Object.keys(days))).size,
      events: counts.reduce((sum, events) => sum + events, 0),
      problems: [...losses, ...(list.days === null ? [] : differences(counted.days, list.days))],
    }
  } finally {
    opened?.close()
    await rm(scratch, { recursive: true, force: true })
    room.release()
  }
}

type Room = { scratch: string; release(): void }

/** A folder beside the copies, so that their files can be linked. */
async function roomBeside(backups: string): Promise<Room> {
  const lock = lockBackups(backups)
  try {
    await deleteUnfinished(backups)
    const scratch = join(backups, `verifying${UNFINISHED}`)
    mkdirSync(scratch, { mode: 0o700 })
    return { scratch, release: lock.release }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A folder for a copy in a bucket, where the system has its temporary files. */
function roomElsewhere(): Room {
  return { scratch: mkdtempSync(join(tmpdir(), 'footfall-verify-')), release() {} }
}

/** Opens the folder as a start does, takes what is in its log into its lake, and counts. */
async function countCopy(dataDir: string, memoryMb: number): Promise<{ counted: Counted; losses: string[] }> {
  const losses: string[] = []
  const log: Log = (code, fields) => {
    if (LOSSES.includes(code)) losses.push(`The copy lacks something: ${code} ${JSON.stringify(fields)}`)
  }
  const storage = await openStorage({ dataDir, compactionMemoryMb: memoryMb, clock, log })
  try {
    const { lakeState: state, stream, usage, projects } = storage
    const lake = ownObjects(createFolderLake(lakeDir(dataDir)), log)
    const consumer = createLakeConsumer({ state, stream, lake, usage, projects, clock, log })
    for (const shard of await stream.shards()) while ((await consumer.consume(shard)) > 0);
    const engine = await openQueryEngine({
      ...{ lakeDir: lakeDir(dataDir), tempDir: queryTempDir(dataDir), log, memoryMb, timeoutMs: TIMEOUT_MS },
    })
    try {
      return {
        counted: await countDays({ ...storage, engine, openLake: () => openLake({ state, lake }), clock }),
        losses,
      }
    } finally {
      await engine.close()
    }
  } finally {
    await storage.close()
  }
}

function differences(counted: Counted['days'], expected: ExpectedDays): string[] {
  const projects = new Set([...Object.keys(counted), ...Object.keys(expected)])
  return [...projects].flatMap(project => {
    const [found, known] = [counted[project] ?? {}, expected[project] ?? {}]
    const days = [...new Set([...Object.keys(found), ...Object.keys(known)])].toSorted()
    return days.flatMap(day => {
      const [least, most] = known[day] ?? [0, 0]
      const events = found[day] ?? 0
      if (events >= least && events <= most) return []
      const service = least === most ? `${least}` : `${least} to ${most}`
      return [`${project}, ${day}: the copy has ${events} events, and the service had ${service}.`]
    })
  })
}
