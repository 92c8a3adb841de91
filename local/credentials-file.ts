import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Credentials, credentials } from '#schemas/owner'
import { writeAtomically } from './atomic-file.ts'
import { FolderError } from './lock.ts'

export function credentialsPath(dataDir: string): string {
  return join(dataDir, 'credentials.json')
}

/**
 * Null where there are none yet. Throws FolderError for a file that is not ours: replacing it would revoke a key that
 * may be in use.
 */
export function readCredentials(dataDir: string): Credentials | null {
  const path = credentialsPath(dataDir)
  if (!existsSync(path)) return null
  try {
    return credentials.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new FolderError(`${path} cannot be read; put it right, or delete it to get a new API key`, error)
  }
}

/** Writes them for the owner's eyes only. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writeAtomically(credentialsPath(dataDir), `${JSON.stringify(credentials, null, 2)}\n`)
}
