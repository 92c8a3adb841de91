import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FunctionName } from '#schemas/functions'
import type { Config } from './config.ts'
import { addonFolder } from './duckdb-addon.ts'
import { DUCKDB_FUNCTIONS, READ_FUNCTIONS } from './function-sizes.ts'

/** The functions whose bundles have DuckDB's library. */
export function functionsWithDuckdb({ reads }: Pick<Config, 'reads'>): FunctionName[] {
  return [...DUCKDB_FUNCTIONS, ...(reads === 'auto' ? READ_FUNCTIONS : [])]
}

/** The folder beside the bundles that has the library in a package, once for all functions. */
export const SHARED_ADDON = 'duckdb'

/**
 * Links DuckDB's library into the bundles of a package, where each function looks for it, and takes it from
 * those that do not use it. Does nothing for bundles that bring it themselves.
 */
export function linkSharedAddon(
  functions: string,
  { architecture, reads }: Pick<Config, 'architecture' | 'reads'>,
): void {
  const shared = join(functions, SHARED_ADDON)
  if (!existsSync(shared)) return
  const users = functionsWithDuckdb({ reads })
  for (const name of READ_FUNCTIONS) {
    if (!users.includes(name)) rmSync(join(functions, name, 'node_modules'), { recursive: true, force: true })
  }
  for (const name of users) {
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
