import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import type { Io } from '#cli/io'
import { escapedText } from '#core/text/clean-text'

/** Whether DuckDB's own command line is on the PATH. */
export function hasDuckdb({ env }: Io): boolean {
  return spawnSync('duckdb', ['--version'], { env, stdio: 'ignore' }).status === 0
}

/**
 * Runs DuckDB after the script, in the place of this command. With `clean` what it writes passes that
 * function, in parts that end anywhere but within a character or CR LF. Returns its exit code.
 */
export async function runDuckdb(
  io: Io,
  script: string,
  args: readonly string[],
  clean?: (text: string) => string,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-sql-'))
  const file = join(folder, 'events.sql')
  writeFileSync(file, script, { mode: 0o600 })
  try {
    const words = ['-init', file, ...args]
    return clean === undefined ? await io.handOver('duckdb', words) : await cleaned(io, words, clean)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function cleaned(
  { handOver, stdout, stderr }: Io,
  words: readonly string[],
  clean: (text: string) => string,
): Promise<number> {
  // What DuckDB says beside the rows is a text, whatever the form of the rows is.
  const output = { stdout: createCleaner(clean), stderr: createCleaner(escapedText) }
  const written = [
    pipeline(output.stdout, stdout, { end: false }),
    pipeline(output.stderr, stderr, { end: false }),
  ]
  try {
    return await handOver('duckdb', words, output)
  } finally {
    output.stdout.end()
    output.stderr.end()
    await Promise.all(written)
  }
}

function createCleaner(clean: (text: string) => string): Transform {
  const decoder = new StringDecoder('utf8')
  let held = ''
  const passed = (text: string) => {
    const all = held + text
    held = all.endsWith('\r') ? '\r' : ''
    return clean(all.slice(0, all.length - held.length))
  }
  return new Transform({
    transform: (chunk: Buffer, _, done) => done(null, passed(decoder.write(chunk))),
    flush: done => done(null, passed(decoder.end()) + clean(held)),
  })
}
