import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Process = { pid: number }

/** A disk for one service. Tests can fill it without an effect on anything else. */
export type SmallDisk = {
  /** Returns the command line that creates the disk and then runs `command`. */
  wrap(command: string[]): string[]
  /** Returns the path under which the test sees a path of the process. */
  pathOf(pid: number, path: string): string
  fill(service: Process): void
  free(service: Process): void
}

/** The reason to skip a test of a disk that fills by itself. */
export const NO_SMALL_DISK =
  'A small disk is a mount of its own, which this machine refuses to `unshare --mount --map-root-user`.'

/**
 * Creates a disk of `megabytes` where the machine allows the mount. Elsewhere, `fill` sets a limit of the
 * process that lets no file grow.
 */
export function createSmallDisk(dataDir: string, megabytes: number): SmallDisk {
  return canMountDisk() ? tmpfsDisk(dataDir, megabytes) : limitedDisk()
}

/**
 * Mounts a tmpfs over the service's data folder, in a new mount namespace (unshare of util-linux). Only the
 * service sees it, and it ends with the process. The test reaches it through /proc.
 */
function tmpfsDisk(dataDir: string, megabytes: number): SmallDisk {
  const pathOf = (pid: number, path: string) => join(`/proc/${pid}/root`, path)
  const filler = ({ pid }: Process) => pathOf(pid, join(dataDir, 'filler'))
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
        for (const blockSize of [1 << 20, 1 << 12, 1]) writeUntilFull(file, blockSize)
      } finally {
        closeSync(file)
      }
    },
    free: service => rmSync(filler(service)),
  }
}

/** Uses the limit on file sizes (RLIMIT_FSIZE): while the disk is "full", every write fails with EFBIG. */
function limitedDisk(): SmallDisk {
  const limit = ({ pid }: Process, bytes: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
  return {
    wrap: command => command,
    pathOf: (_, path) => path,
    fill: service => limit(service, '0'),
    free: service => limit(service, 'unlimited'),
  }
}

let isMountAllowed: boolean | undefined

/** Whether small disks fill by themselves here. Containers often do not allow a mount. */
export function canMountDisk(): boolean {
  isMountAllowed ??= tryMount()
  return isMountAllowed
}

function tryMount(): boolean {
  try {
    const mount = ['mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]
    execFileSync('unshare', ['--mount', '--map-root-user', ...mount], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function writeUntilFull(file: number, blockSize: number): void {
  const block = Buffer.alloc(blockSize)
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
