import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'processes'

/**
 * Notes a process that a test has started, so that the end of the run ends it. A worker that Vitest stops
 * runs no code of its own before that. The returned function forgets the process, when it has ended.
 */
export function noteProcess(runFolder: string, pid: number): () => void {
  mkdirSync(join(runFolder, FOLDER), { recursive: true })
  const file = join(runFolder, FOLDER, String(pid))
  writeFileSync(file, '')
  return () => rmSync(file, { force: true })
}

/** Kills the processes of a run that are left. */
export function endProcesses(runFolder: string): void {
  const folder = join(runFolder, FOLDER)
  if (!existsSync(folder)) return
  for (const pid of readdirSync(folder)) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
