import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Service } from './service-process.ts'

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
 * A disk that can be filled up: a real one of `megabytes` where the machine lets us mount it, else a limit of the
 * process that lets no file grow.
 */
export function createSmallDisk(dataDir: string, megabytes: number): SmallDisk {
  return canMount() ? tmpfsDisk(dataDir, megabytes) : limitedDisk()
}

/**
 * A tmpfs of `megabytes` over the service's data folder, in a mount namespace of its own (unshare of util-linux): only
 * the service sees it, and it goes with the process. We reach it through /proc.
 */
function tmpfsDisk(dataDir: string, megabytes: number): SmallDisk {
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

/** The limit on file sizes (RLIMIT_FSIZE): every write fails with EFBIG while the disk counts as full. */
function limitedDisk(): SmallDisk {
  const limit = ({ pid }: Service, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  return {
    wrap: command => command,
    pathOf: (_, path) => path,
    fill: service => limit(service, '0'),
    free: service => limit(service, 'unlimited'),
  }
}

/** Containers often do not allow it. */
function canMount(): boolean {
  try {
    const mount = ['mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]
    execFileSync('unshare', ['--mount', '--map-root-user', ...mount], { stdio: 'ignore' })
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
