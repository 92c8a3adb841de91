import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/**
 * The highest acknowledged sequence, in a small file beside the log. The commit thread writes it after each
 * synced commit and before the response. So a log that ends below it has lost records, for example because
 * its write-ahead log was cut. SQLite alone cannot tell such records from a commit that never finished.
 */
export type HighFile = {
  /** The sequence of the file; null when the file is missing or damaged. */
  read(): number | null
  /**
   * Overwrites the sequence. It is not synced, so a power cut may bring back an older one. It never throws.
   */
  write(sequence: number): void
  close(): void
}

export function highPath(dir: string): string {
  return join(dir, 'log.high')
}

export function openHighFile(dir: string): HighFile {
  const path = highPath(dir)
  let file: number | null = null
  return {
    read() {
      try {
        return parse(readFileSync(path, 'latin1'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },
    write(sequence) {
      // An older sequence only hides a loss, so a failed write, as on a full disk, must not fail the commit.
      try {
        file ??= openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o644)
        writeSync(file, format(sequence), 0)
      } catch {}
    },
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}

/**
 * Always 26 bytes, so that each write replaces the whole text: 16 digits, a space, a checksum, a line end.
 */
function format(sequence: number): string {
  const digits = String(sequence).padStart(16, '0')
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`
}

function parse(text: string): number | null {
  const sequence = Number(text.slice(0, 16))
  return Number.isSafeInteger(sequence) && format(sequence) === text ? sequence : null
}
