import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Io } from '#cli/io'

/** Whether DuckDB's own command line is on the PATH. */
export function hasDuckdb({ env }: Io): boolean {
  return spawnSync('duckdb', ['--version'], { env, stdio: 'ignore' }).status === 0
}

/** Runs DuckDB after the script, in the place of this command. Returns its exit code. */
export async function runDuckdb({ handOver }: Io, script: string, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-sql-'))
  const file = join(folder, 'events.sql')
  writeFileSync(file, script, { mode: 0o600 })
  try {
    return await handOver('duckdb', ['-init', file, ...args])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
