import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { usage } from '#cli/errors'

export type Site = {
  /** The real path of its folder. */
  folder: string
  /** Paths of its files below the folder, with `/`, without links, packages and built files. */
  paths: readonly string[]
  /** The text of a file; null: it is not there, too large, or no UTF-8. */
  read(path: string): string | null
}

/** More files than any site that a person writes; a larger folder is read in part. */
const MAX_FILES = 5_000
const MAX_DEPTH = 8
const MAX_BYTES = 1_048_576
/** Packages, and what builds write. A folder that begins with a dot is left out, too. */
const SKIPPED = new Set(['node_modules', 'vendor', 'dist', 'build', 'out', '_site', 'target', 'coverage'])

/** Reads the names in a folder. Links are left out, because they may lead out of it. */
export function readSite(folder: string): Site {
  const root = realFolder(folder)
  const paths: string[] = []
  const walk = (below: string, depth: number) => {
    const entries = readdirSync(join(root, below), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (paths.length >= MAX_FILES) return
      if (entry.isFile()) paths.push(path)
      else if (entry.isDirectory() && depth < MAX_DEPTH && !isSkipped(path, entry.name)) walk(path, depth + 1)
    }
  }
  walk('', 1)
  const known = new Set(paths)
  return { folder: root, paths, read: path => (known.has(path) ? readText(join(root, path)) : null) }
}

/**
 * The public files of Hugo are built ones; those of the other kinds are sources, and none of them is HTML.
 */
function isSkipped(path: string, name: string): boolean {
  return name.startsWith('.') || SKIPPED.has(name) || path === 'public'
}

function readText(path: string): string | null {
  if (lstatSync(path).size > MAX_BYTES) return null
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  // Other encodings would not come back as they were.
  return Buffer.from(text).equals(bytes) ? text : null
}

function realFolder(folder: string): string {
  try {
    const real = realpathSync(folder)
    if (lstatSync(real).isDirectory()) return real
  } catch {}
  throw usage(
    'The folder of the site is not there.',
    'Run it in the folder of the site, or name the folder with --folder.',
  )
}
