import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from '#local/atomic-file'

/** Without letters that look like digits. 16 of 32 are 80 bits. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const GROUPS = 4
const GROUP_LETTERS = 4

export function signInCodePath(dataDir: string): string {
  return join(dataDir, 'sign-in-code')
}

/**
 * The code that the embedded provider asks for: it stands in a file that only the owner of the data folder
 * may read, so that other users and programs of the machine cannot sign in. Made at the first use; delete the
 * file for another.
 */
export function signInCode(dataDir: string): string {
  const path = signInCodePath(dataDir)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const group = () => Array.from({ length: GROUP_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const code = Array.from({ length: GROUPS }, group).join('-')
  writeAtomically(path, `${code}\n`)
  return code
}
