import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Copies a folder that a service uses meanwhile, one file after the other. A file that is renamed or deleted
 * during the copy is left out, as copy tools do.
 */
export function copyRunning(from: string, to: string, { except = [] }: { except?: readonly string[] } = {}) {
  mkdirSync(to, { recursive: true })
  for (const entry of orMissing(() => readdirSync(from, { withFileTypes: true })) ?? []) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    // The socket of `footfall admin` belongs to the running service.
    if (except.includes(entry.name) || entry.isSocket()) continue
    if (entry.isDirectory()) copyRunning(source, target)
    else orMissing(() => cpSync(source, target))
  }
}

/** Undefined when the file or folder is gone. */
function orMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
