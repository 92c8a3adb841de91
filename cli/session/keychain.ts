import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Env, Io } from '#cli/io'

/** The keychain of the system. Each function throws KeychainError when it does not work. */
export type Keychain = {
  /** What a person calls it. */
  name: string
  save(address: string, secret: string): void
  /** Null: it has nothing for the address. */
  load(address: string): string | null
  remove(address: string): void
}

export class KeychainError extends Error {
  override readonly name = 'KeychainError'
}

/** Longer than a tool takes, and shorter than the lock of the store lives; a person may have to unlock it. */
const TIMEOUT_MS = 10_000
const SERVICE = 'footfall'

/**
 * The keychain of the platform through the tool that it brings, so that the command line stays one file
 * without native modules. Secrets go through stdin, because a list of processes shows arguments. `folder`:
 * where Windows keeps what it has encrypted for the user. Null: this system has none.
 */
export function keychainOf({ platform, env }: Pick<Io, 'platform' | 'env'>, folder: string): Keychain | null {
  const run = toolRunner(env)
  if (platform === 'darwin') return macKeychain(run)
  if (platform === 'win32') return windowsKeychain(run, folder)
  return platform === 'linux' || platform === 'freebsd' ? secretService(run) : null
}

function macKeychain(run: RunTool): Keychain {
  return {
    name: 'keychain of macOS',
    save(address, secret) {
      // As base64url it has no character that the tool would read as the end of the word.
      const word = Buffer.from(secret).toString('base64url')
      run('security', ['-i'], `add-generic-password -U -s ${SERVICE} -a "${address}" -w "${word}"\n`)
    },
    load(address) {
      const args = ['find-generic-password', '-s', SERVICE, '-a', address, '-w']
      const { status, stdout } = run('security', args, '', [0, 44])
      return status === 0 ? Buffer.from(stdout.trim(), 'base64url').toString() : null
    },
    remove(address) {
      run('security', ['delete-generic-password', '-s', SERVICE, '-a', address], '', [0, 44])
    },
  }
}

function secretService(run: RunTool): Keychain {
  return {
    name: 'Secret Service',
    save(address, secret) {
      run('secret-tool', ['store', '--label', `Footfall (${address})`, ...attributes(address)], secret)
    },
    load(address) {
      const { status, stdout, stderr } = run('secret-tool', ['lookup', ...attributes(address)], '', [0, 1])
      // Without an entry it says nothing.
      if (status === 1 && stderr.trim() !== '') throw new KeychainError('secret-tool does not work')
      return status === 0 && stdout !== '' ? stdout.trimEnd() : null
    },
    remove(address) {
      run('secret-tool', ['clear', ...attributes(address)], '', [0, 1])
    },
  }
}

function attributes(address: string): string[] {
  return ['service', SERVICE, 'account', address]
}

const PROTECT =
  '$s = [Console]::In.ReadToEnd(); ConvertTo-SecureString $s -AsPlainText -Force | ConvertFrom-SecureString'
const UNPROTECT =
  "$s = ConvertTo-SecureString ([Console]::In.ReadToEnd().Trim()); [Net.NetworkCredential]::new('', $s).Password"

/** Windows encrypts with a key of the user (DPAPI). The encrypted text is in a file of the folder. */
function windowsKeychain(run: RunTool, folder: string): Keychain {
  const pathOf = (address: string) =>
    join(folder, `tokens-${createHash('sha256').update(address).digest('hex').slice(0, 16)}.dpapi`)
  const powershell = (script: string, input: string) =>
    run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], input).stdout.trim()
  return {
    name: 'data protection of Windows',
    save: (address, secret) => writeFileSync(pathOf(address), powershell(PROTECT, secret), { mode: 0o600 }),
    load(address) {
      const text = textOf(pathOf(address))
      return text === null ? null : powershell(UNPROTECT, text)
    },
    remove: address => rmSync(pathOf(address), { force: true }),
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Runs a tool. Throws KeychainError when it is not there, takes too long, or ends in another way. */
type RunTool = (
  command: string,
  args: readonly string[],
  input: string,
  expected?: readonly number[],
) => SpawnSyncReturns<string>

function toolRunner(env: Env): RunTool {
  return (command, args, input, expected = [0]) => {
    const options = { env, input, encoding: 'utf8', timeout: TIMEOUT_MS, windowsHide: true } as const
    const result = spawnSync(command, args, options)
    if (result.error !== undefined || result.status === null || !expected.includes(result.status))
      throw new KeychainError(`${command} does not work`)
    return result
  }
}
