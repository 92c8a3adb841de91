import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildTracker, buildWithout, moduleSizes } from './build.ts'

/** Maximum size of the script with gzip, bytes (docs/decisions/2026-11-29-tracker-on-real-sites.md). */
export const GZIP_BUDGET = 6_510

const gzipSize = (code: string) => gzipSync(code, { level: 9 }).length

/**
 * Prints the size of the whole script, bytes. Sets the exit code when it is too big. With `--modules` it also
 * prints a table of the modules: the minified size of each, and how much smaller the script with gzip is
 * without it.
 */
async function printSizes(): Promise<void> {
  const { code } = await buildTracker()
  const gzip = gzipSize(code)
  if (process.argv.includes('--modules')) await printModules(gzip)
  console.log(
    `${code.length} bytes minified, ${gzip} with gzip, ${brotliCompressSync(code).length} with brotli`,
  )
  if (gzip <= GZIP_BUDGET) return
  console.error(
    `The tracker is too big: ${gzip} bytes with gzip, allowed are ${GZIP_BUDGET}. Make a module smaller.`,
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
