import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether DuckDB's own command line is on the PATH. */
export function hasDuckdb(): boolean {
  return spawnSync('duckdb', ['--version'], { stdio: 'ignore' }).status === 0
}

/** Runs DuckDB after the script, on this terminal. Returns its exit code. */
export async function runDuckdb(script: string, args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-sql-'))
  const file = join(folder, 'events.sql')
  writeFileSync(file, script, { mode: 0o600 })
  // Ctrl-C belongs to the shell, where it stops a statement.
  const signals = process.listeners('SIGINT')
  process.removeAllListeners('SIGINT')
  process.on('SIGINT', ignore)
  try {
    const child = spawn('duckdb', ['-init', file, ...args], { stdio: 'inherit' })
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', code => resolve(code ?? 1))
    })
  } finally {
    process.off('SIGINT', ignore)
    for (const listener of signals) process.on('SIGINT', listener)
    rmSync(folder, { recursive: true, force: true })
  }
}

function ignore(): void {}
