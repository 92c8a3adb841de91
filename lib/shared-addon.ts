import { existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, addonFolder } from './duckdb-addon.ts'

/** The functions whose bundles have DuckDB's library. */
export const WITH_DUCKDB = ['jobs', 'restore'] as const

/** The folder beside the bundles that has the library in a package, once for all functions. */
export const SHARED_ADDON = 'duckdb'

/**
 * Links DuckDB's library into the bundles of a package, where each function looks for it. Does nothing for
 * bundles that have it already.
 */
export function linkSharedAddon(functions: string, architecture: Architecture): void {
  const shared = join(functions, SHARED_ADDON)
  if (!existsSync(shared)) return
  for (const name of WITH_DUCKDB) {
    const folder = addonFolder(join(functions, name), architecture)
    mkdirSync(folder, { recursive: true })
    for (const file of readdirSync(shared)) linkOnce(join(shared, file), join(folder, file))
  }
}

/** Another synthesis may link the same file at the same time. */
function linkOnce(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
