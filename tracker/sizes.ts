import { brotliCompressSync, gzipSync } from 'node:zlib'
import { buildTracker, moduleSizes } from './build.ts'

/** Maximum size of the script with gzip, bytes (docs/decisions/2026-11-22-tracker-size.md). */
export const GZIP_BUDGET = 6_265

/** Prints the size of each module and of the whole script, in bytes. Sets the exit code when the script is too big. */
async function printSizes(): Promise<void> {
  const { code } = await buildTracker()
  for (const [name, bytes] of Object.entries(await moduleSizes()).sort(([, a], [, b]) => b - a)) {
    console.log(`${String(bytes).padStart(6)}  ${name}`)
  }
  const gzip = gzipSync(code, { level: 9 }).length
  console.log(
    `${String(code.length).padStart(6)}  together, minified; ${gzip} with gzip, ${brotliCompressSync(code).length} with brotli`,
  )
  if (gzip <= GZIP_BUDGET) return
  console.error(
    `The tracker is too big: ${gzip} bytes with gzip, allowed are ${GZIP_BUDGET}. Make a module smaller.`,
  )
  process.exitCode = 1
}

if (import.meta.main) await printSizes()
