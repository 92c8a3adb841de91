import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AccountStore } from '#core/accounts/store'
import type { Log } from '#core/ports'
import { type Credentials, credentials } from '#schemas/owner'
import { writeAtomically } from './atomic-file.ts'
import { FolderError } from './lock.ts'

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json')
}

/**
 * Returns the stored credentials, or null when there is no file. Throws FolderError when the file cannot be
 * read. It is not replaced then, because a new file would revoke a key that may be in use.
 */
export function readCredentials(dataDir: string): Credentials | null {
  const path = credentialsPath(dataDir)
  if (!existsSync(path)) return null
  try {
    return credentials.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new FolderError(
      `${path} cannot be read. Restore the file, or delete it to get a new API key.`,
      error,
    )
  }
}

/** Writes the credentials to a file that only its owner may read. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writeAtomically(credentialsPath(dataDir), `${JSON.stringify(credentials, null, 2)}\n`)
}

/**
 * The file that has the API key alone, for commands such as `curl -H "X-API-Key: $(cat .footfall/api-key)"`.
 */
export function apiKeyPath(dataDir: string): string {
  return join(dataDir, 'api-key')
}

/**
 * Writes the API key to its file, unless the file has it already. The key in credentials.json decides, so
 * each start calls this: a start that was killed between the two files, or a file that was deleted, is
 * repaired.
 */
export function writeApiKey(dataDir: string, apiKey: string): void {
  const path = apiKeyPath(dataDir)
  const text = `${apiKey}\n`
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeAtomically(path, text)
}

/**
 * The accounts of this machine. A new API key of the owner also goes into both files: the key that they had
 * is dead. Where a file cannot be written, the log says so, and the caller gets the key all the same.
 */
export function withKeyFiles(accounts: AccountStore, dataDir: string, log: Log): AccountStore {
  return {
    ...accounts,
    async issueApiKey(accountId) {
      const api_key = await accounts.issueApiKey(accountId)
      try {
        const stored = readCredentials(dataDir)
        if (stored?.account_id === accountId) {
          writeCredentials(dataDir, { ...stored, api_key })
          writeApiKey(dataDir, api_key)
        }
      } catch (error) {
        log('KEY_FILES_STALE', { error: String(error) })
      }
      return api_key
    },
  }
}
