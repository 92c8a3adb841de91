import { randomUUID } from 'node:crypto'
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '#cli/errors'
import type { Io } from '#cli/io'
import { keychainOf } from './keychain.ts'
import type { SavedSession, StoredSession } from './stored-session.ts'
import { openTokenStore, type TokenStore } from './token-store.ts'

/** The file of the command line. It holds one session for each service, by address. */
export type Config = {
  version: 1
  /** The service of the last login. */
  base_url?: string
  sessions: Record<string, SavedSession>
  /** Detached logins that a human has not decided yet, by address: what `login --wait` resumes. */
  pending?: Record<string, PendingLogin>
}

export type PendingLogin = {
  auth_request_id: string
  poll_token: string
  /** Unix ms. */
  expires_at: number
  /** What the human needs. Files that were written before 2026-11-28 do not have them. */
  authorize_url?: string
  approval_code?: string
}

export type Store = {
  path: string
  read(): Config
  /** The session of a service with its tokens; undefined: not signed in. */
  session(address: string): StoredSession | undefined
  tokens: TokenStore
  /** Changes the file while no other process does. Throws CONFIG_UNWRITABLE and CONFIG_LOCKED. */
  update(change: (config: Config) => Config | Promise<Config>): Promise<Config>
}

const EMPTY: Config = { version: 1, sessions: {} }
/** A process that holds the lock longer has died: a refresh takes a second, its time-out is shorter. */
const STALE_LOCK_MS = 30_000
const LOCK_POLL_MS = 25

/** The folder: the option, the environment, the folder of the desktop standard, the home. */
export function configDir(option: string | undefined, { env, home }: Io): string {
  if (option !== undefined) return option
  if (env.AA_CONFIG_DIR) return env.AA_CONFIG_DIR
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'footfall')
  return join(home(), '.config', 'footfall')
}

/**
 * A file that only its owner may read, replaced as a whole: a process that dies leaves the old one. The
 * tokens are in the keychain instead, where there is one that works.
 */
export function openStore(folder: string, io: Io): Store {
  const path = join(folder, 'config.json')
  const read = () => readConfig(path)
  const tokens = openTokenStore(keychainOf(io, folder), io.env)
  return {
    path,
    read,
    tokens,
    session(address) {
      const saved = read().sessions[address]
      return saved && tokens.withTokens(address, saved)
    },
    async update(change) {
      accessFolder(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
      const release = await acquireLock(join(folder, 'config.lock'), io)
      try {
        const changed = await change(read())
        accessFolder(folder, () => replaceFile(path, `${JSON.stringify(changed, null, 2)}\n`, io))
        return changed
      } finally {
        release()
      }
    },
  }
}

function replaceFile(path: string, text: string, { pid }: Io): void {
  const temporary = `${path}.${pid}.tmp`
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true })
    renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function readConfig(path: string): Config {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY
    throw unreadable(path)
  }
  try {
    const config = JSON.parse(text) as Config
    if (config.version !== 1 || typeof config.sessions !== 'object') throw new Error('another form')
    return config
  } catch {
    throw unreadable(path)
  }
}

function unreadable(path: string): CommandError {
  return new CommandError({
    error: 'CONFIG_UNREADABLE',
    message: `${path} cannot be read as the configuration of this command line.`,
    suggested_action: 'Delete the file and sign in again, or name another folder with --config-dir.',
  })
}

/**
 * Runs one change in the folder of the configuration. Throws CONFIG_UNWRITABLE when the operating system
 * refuses it.
 */
function accessFolder<T>(folder: string, access: () => T): T {
  try {
    return access()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw unwritable(folder, code)
  }
}

/** `code`: the error code of the operating system, such as EACCES. */
function unwritable(folder: string, code: string): CommandError {
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return new CommandError({
    error: 'CONFIG_UNWRITABLE',
    message: `The folder of the configuration ${folder} cannot be written (${code}${isFull ? ': the disk is full' : ''}).`,
    suggested_action: isFull
      ? 'Free some space there, or name another folder with --config-dir or AA_CONFIG_DIR.'
      : 'Allow your user to write there, or name another folder with --config-dir or AA_CONFIG_DIR.',
  })
}

/** A file that only one process can create. A lock of a process that died is taken over. */
async function acquireLock(path: string, io: Io): Promise<() => void> {
  const { clock, pid } = io
  const mine = `${pid}.${randomUUID()}`
  const deadline = clock.now() + 2 * STALE_LOCK_MS
  for (;;) {
    if (accessFolder(dirname(path), () => createLock(path, mine)))
      return () => {
        if (lockText(path) === mine) rmSync(path, { force: true })
      }
    const held = lockText(path)
    if (held !== null && isStale(path, held, io)) removeStale(path, held, io)
    if (clock.now() > deadline) throw busy(path)
    await clock.sleep(LOCK_POLL_MS)
  }
}

/**
 * Returns false if the file exists. If its text cannot be written, the file is deleted again: else it would
 * block other processes.
 */
function createLock(path: string, text: string): boolean {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeFileSync(file, text)
    return true
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Of several processes that see the old lock, one renames it. A new lock that it took instead goes back. */
function removeStale(path: string, held: string, { pid }: Io): void {
  const taken = `${path}.${pid}`
  try {
    renameSync(path, taken)
    if (lockText(taken) !== held) linkSync(taken, path)
  } catch {
    // Another process has renamed it, or has a new lock already.
  } finally {
    rmSync(taken, { force: true })
  }
}

function lockText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The process has died, or the lock is older than any use of it. */
function isStale(path: string, held: string, { clock, isRunning }: Io): boolean {
  const pid = Number(held.split('.')[0])
  if (pid > 0 && !isRunning(pid)) return true
  const now = clock.now()
  const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now)
  return age > STALE_LOCK_MS
}

function busy(path: string): CommandError {
  return new CommandError({
    error: 'CONFIG_LOCKED',
    message: `Another process holds ${path}.`,
    suggested_action: 'Wait for it, or delete the file when no other footfall command runs.',
    retryable: true,
  })
}
