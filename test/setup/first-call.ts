import { closeSync, openSync } from 'node:fs'

/** Returns true to one caller of all processes that share the file system, and makes the file `marker`. */
export function isFirstCall(marker: string): boolean {
  try {
    closeSync(openSync(marker, 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
