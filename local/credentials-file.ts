import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from './atomic-file.ts'
import { FolderError } from './lock.ts'

const credentialsSchema = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  project: z.string(),
  project_token: z.string(),
})

/** What a newcomer, or an agent on this machine, needs for the first call. */
export type Credentials = z.infer<typeof credentialsSchema>

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
    return credentialsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    throw new FolderError(`${path} cannot be read; put it right, or delete it to get a new API key`, error)
  }
}

/** Writes them for the owner's eyes only. */
export function writeCredentials(dataDir: string, credentials: Credentials): void {
  writeAtomically(credentialsPath(dataDir), `${JSON.stringify(credentials, null, 2)}\n`)
}
