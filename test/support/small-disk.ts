import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Service } from './service.ts'

/** How a service is put on a disk of its own, which can be filled up without anybody else noticing. */
export type SmallDisk = {
  /** The command line that makes the disk, then runs the given one. */
  wrap(command: string[]): string[]
  /** Where we see a path of the process. */
  pathOf(pid: number, path: string): string
  fill(service: Service): void
  free(service: Service): void
}

/**
 * A tmpfs of `megabytes` over the service's data folder, in a mount namespace of its own (unshare of util-linux): only
 * the service sees it, and it goes with the process. We reach it through /proc.
 */
export function smallDisk(dataDir: string, megabytes: number): SmallDisk {
  const pathOf = (pid: number, path: string) => join(`/proc/${pid}/root`, path)
  const filler = ({ pid }: Service) => pathOf(pid, join(dataDir, 'filler'))
  mkdirSync(dataDir, { recursive: true })
  return {
    pathOf,
    wrap: command => [
      'unshare',
      '--mount',
      '--map-root-user',
      'sh',
      '-c',
      `mount -t tmpfs -o size=${megabytes}m tmpfs "$0" && exec "$@"`,
      dataDir,
      ...command,
    ],
    fill(service) {
      const file = openSync(filler(service), 'w')
      try {
        for (const size of [1 << 20, 1 << 12, 1]) fillBy(file, size)
      } finally {
        closeSync(file)
      }
    },
    free: service => rmSync(filler(service)),
  }
}

/** Whether this machine lets us make such a disk. */
export function hasSmallDisks(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--map-root-user', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function fillBy(file: number, size: number): void {
  const block = Buffer.alloc(size)
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
