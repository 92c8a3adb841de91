import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export type Tracker = {
  /** What GET /tracker.js delivers. */
  code: string
  /** The same script, readable: GET /tracker.src.js. */
  source: string
  /** Of the UTF-8 bytes of `code`, in hex: X-Tracker-SHA256. */
  sha256: string
}

const ENTRY = fileURLToPath(new URL('index.ts', import.meta.url))
/** Browsers since 2020: older ones get syntax they know, newer ones lose nothing. */
const TARGET = 'es2019'

async function bundle(minify: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'iife',
    target: TARGET,
    minify,
    // A page may be in any encoding; plain ASCII reads the same in all of them.
    charset: 'ascii',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

/**
 * Builds the browser tracker from its modules: when the service of one machine starts, and when the functions for AWS are
 * bundled. The rest of the folder is written for browsers. Throws esbuild's own error.
 */
export async function buildTracker(): Promise<Tracker> {
  const [code, source] = await Promise.all([bundle(true), bundle(false)])
  return { code, source, sha256: createHash('sha256').update(code).digest('hex') }
}
