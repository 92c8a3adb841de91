import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

export type Tracker = {
  /** The minified script, for GET /tracker.js. */
  code: string
  /** The readable script, for GET /tracker.src.js. */
  source: string
  /** SHA-256 of the UTF-8 bytes of `code`, in hex, for the header X-Tracker-SHA256. */
  sha256: string
}

const ENTRY = fileURLToPath(new URL('index.ts', import.meta.url))
/** The syntax level of the script. Browsers since 2020 understand it. */
const TARGET = 'es2019'

async function bundle(minify: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    format: 'iife',
    target: TARGET,
    minify,
    // A page may have any encoding, and ASCII is the same in all of them.
    charset: 'ascii',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

/**
 * Builds the browser tracker from its modules. It runs when the service starts on one machine, and when the functions for
 * AWS are bundled. Only this file of the folder runs in Node; the others are for browsers. Throws esbuild's own error.
 */
export async function buildTracker(): Promise<Tracker> {
  const [code, source] = await Promise.all([bundle(true), bundle(false)])
  return { code, source, sha256: createHash('sha256').update(code).digest('hex') }
}
