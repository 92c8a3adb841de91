import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from './atomic-file.ts'
import { FolderError } from './lock.ts'

const KEY = /^[0-9a-f]{64}$/

/**
 * Returns the key of the e-mail index (core/ingest/email-hash.ts), and creates it at the first
 * start. Throws FolderError for a damaged file: it is not replaced, because with another key no e-mail
 * address is found again.
 */
export function readEmailKey(dataDir: string): string {
  const path = join(dataDir, 'email-key')
  if (!existsSync(path)) writeAtomically(path, randomBytes(32).toString('hex'))
  const key = readFileSync(path, 'utf8').trim()
  if (KEY.test(key)) return key
  throw new FolderError(
    `${path} is damaged. Restore the file, or delete it: look-ups by e-mail then find only users who are identified again.`,
    null,
  )
}
