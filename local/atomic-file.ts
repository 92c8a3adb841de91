import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/**
 * Writes a small file that only its owner may read (mode 0600). The file is synced, and then replaces the old
 * file in one step, so a crash leaves the old file or the new one.
 */
export function writeAtomically(path: string, text: string): void {
  const unfinished = `${path}.unfinished`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}
