import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildTracker, buildWithout, moduleSizes } from './build.ts'

/** Maximum sizes of the two scripts with gzip, bytes (docs/decisions/2026-11-30-two-trackers.md). */
export const GZIP_BUDGETS = { 'tracker.js': 6_100, 'tracker.core.js': 2_600 } as const

const gzipSize = (code: string) => gzipSync(code, { level: 9 }).length

/**
 * Prints the sizes of both scripts, bytes. Sets the exit code when one is too big. With `--modules` it also
 * prints a table of the modules: the minified size of each, and how much smaller `/tracker.js` with gzip is
 * without it.
 */
async function printSizes(): Promise<void> {
  const { code, core } = await buildTracker()
  if (process.argv.includes('--modules')) await printModules(gzipSize(code))
  printSize('tracker.js', code)
  printSize('tracker.core.js', core.code)
}

function printSize(name: keyof typeof GZIP_BUDGETS, code: string): void {
  const gzip = gzipSize(code)
  const brotli = brotliCompressSync(code).length
  console.log(`${name}: ${code.length} bytes minified, ${gzip} with gzip, ${brotli} with brotli`)
  if (gzip <= GZIP_BUDGETS[name]) return
  console.error(
    `${name} is too big: ${gzip} bytes with gzip, allowed are ${GZIP_BUDGETS[name]}. Make a module smaller.`,
  )
  process.exitCode = 1
}

/** Prints what each module costs. Common phrases of modules count for none of them, but for the rest. */
async function printModules(gzip: number): Promise<void> {
  const rows: [name: string, minified: number, cost: number][] = []
  const { 'index.ts': _, ...modules } = await moduleSizes()
  for (const [name, bytes] of Object.entries(modules))
    rows.push([name.replace('.ts', ''), bytes, gzip - gzipSize(await buildWithout(name))])
  console.log('| module | minified | costs with gzip |\n| --- | --- | --- |')
  for (const row of rows.toSorted(([, , a], [, , b]) => b - a)) console.log(`| ${row.join(' | ')} |`)
  console.log(`| index and the rest | | ${rows.reduce((rest, [, , cost]) => rest - cost, gzip)} |`)
}

if (import.meta.main) await printSizes()
