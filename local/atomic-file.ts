import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** Writes a small file for its owner's eyes only (mode 0600), durably; it is there whole, or as it was before. */
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
