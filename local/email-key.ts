import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from './atomic-file.ts'
import { FolderError } from './lock.ts'

/** A key that a machine has made is hexadecimal; one of a stack has letters of both cases, and digits. */
const KEY = /^[0-9A-Za-z]{64}$/

export function isEmailKey(text: string): boolean {
  return KEY.test(text)
}

/** The file of the key of the e-mail index. */
export function emailKeyPath(dataDir: string): string {
  return join(dataDir, 'email-key')
}

/**
 * Returns the key of the e-mail index (core/ingest/email-hash.ts), and creates it at the first
 * start. Throws FolderError for a damaged file: it is not replaced, because with another key no e-mail
 * address is found again.
 */
export function readEmailKey(dataDir: string): string {
  const path = emailKeyPath(dataDir)
  if (!existsSync(path)) writeAtomically(path, randomBytes(32).toString('hex'))
  const key = readFileSync(path, 'utf8').trim()
  if (isEmailKey(key)) return key
  throw new FolderError(
    `${path} is damaged. Restore the file, or delete it: look-ups by e-mail then find only users who are identified again.`,
    null,
  )
}
