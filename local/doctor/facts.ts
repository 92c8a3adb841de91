import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, statfs } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { askAdminSocket } from '#local/access/ask-admin-socket'
import { askService } from '#local/backup/ask-service'
import { filesBelow } from '#local/backup/copy-writer'
import type { Counted } from '#local/backup/count-days'
import { lakeDir, statePath } from '#local/data-folder'
import { isOpenToOthers } from '#local/lock'
import { readSettings, SettingsError } from '#local/settings'
import { readLastBackup } from '#local/watch/last-backup'
import { openedProbe } from '#local/watch/probes'
import { type ServiceState, serviceStateShape } from '#local/watch/service-state'
import { type Reach, reachPublicAddress } from './reach.ts'

/** What is known of one machine. Times in Unix ms, sizes in bytes. */
export type Facts = {
  now: number
  dataDir: string
  /** Null: no service runs on the folder. */
  state: ServiceState | null
  /** What is wrong with the settings that a start would read here; null when they are good, or not asked. */
  settingsProblem: string | null
  /** Null: the folder does not exist. */
  folder: { lakeBytes: number; isOpenToOthers: boolean; hasState: boolean } | null
  disk: { free: number; size: number } | null
  memory: { available: number; size: number }
  backupAt: number | null
  /** Whether a time server sets the clock of the machine; null where the system does not say. */
  isClockSet: boolean | null
  reach: Reach | null
  /** Events by UTC day, of all projects; null where no service can count them. */
  events: Record<string, number> | null
}

const ASK_MS = 15_000
const TOOL_MS = 3_000

/** Looks at the machine. Throws FolderError when this user may not ask the service. */
export async function gatherFacts(dataDir: string, environment: NodeJS.ProcessEnv): Promise<Facts> {
  const text = await askAdminSocket(dataDir, '/state', ASK_MS)
  const state = text === null ? null : serviceStateShape.parse(JSON.parse(text))
  const baseUrl = state?.base_url ?? null
  const [folder, disk, isClockSet, reach, counted] = await Promise.all([
    lookAtFolder(dataDir),
    lookAtDisk(dataDir),
    readClockSync(),
    baseUrl === null ? null : openProbe(dataDir).then(path => reachPublicAddress(baseUrl, path)),
    state === null ? null : askService(dataDir),
  ])
  return {
    now: Date.now(),
    dataDir,
    state,
    settingsProblem: state === null ? settingsProblem(environment) : null,
    folder,
    disk,
    memory: { available: freemem(), size: await memorySize() },
    backupAt: readLastBackup(dataDir),
    isClockSet,
    reach,
    events: counted === null ? null : eventsByDay(counted),
  }
}

async function openProbe(dataDir: string): Promise<string | null> {
  const text = await askAdminSocket(dataDir, '/probe', ASK_MS)
  return text === null ? null : openedProbe.parse(JSON.parse(text)).path
}

function settingsProblem(environment: NodeJS.ProcessEnv): string | null {
  try {
    readSettings(environment)
    return null
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
}

async function lookAtFolder(dataDir: string): Promise<Facts['folder']> {
  if (!existsSync(dataDir)) return null
  let lakeBytes = 0
  for await (const path of filesBelow(lakeDir(dataDir))) {
    // Compaction may have deleted the file meanwhile.
    const found = await stat(join(lakeDir(dataDir), path)).catch(() => null)
    lakeBytes += found?.size ?? 0
  }
  return { lakeBytes, isOpenToOthers: isOpenToOthers(dataDir), hasState: existsSync(statePath(dataDir)) }
}

async function lookAtDisk(dataDir: string): Promise<Facts['disk']> {
  const found = await statfs(dataDir).catch(() => null)
  return found && { free: found.bavail * found.bsize, size: found.blocks * found.bsize }
}

async function readClockSync(): Promise<boolean | null> {
  try {
    const args = ['show', '--property=NTPSynchronized', '--value']
    const { stdout } = await promisify(execFile)('timedatectl', args, { timeout: TOOL_MS })
    return { yes: true, no: false }[stdout.trim()] ?? null
  } catch {
    return null
  }
}

/** The memory that programs here may use together: that of the container, if it has less than the machine. */
async function memorySize(): Promise<number> {
  const limit = Number(await readFile('/sys/fs/cgroup/memory.max', 'utf8').catch(() => 'max'))
  return Number.isNaN(limit) ? totalmem() : Math.min(limit, totalmem())
}

function eventsByDay({ days }: Counted): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const ofProject of Object.values(days))
    for (const [day, events] of Object.entries(ofProject)) sums[day] = (sums[day] ?? 0) + events
  return sums
}
