import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { rrwebInSlices } from './rrweb-in-slices.ts'

export type BuiltRecorder = {
  /** The minified script, for GET /replay.js. */
  code: string
  /** SHA-256 of the UTF-8 bytes of `code`, in hex. */
  sha256: string
}

/** How every script of the recorder is built, also those of tests. */
export const RECORDER_BUNDLE = {
  bundle: true,
  minify: true,
  format: 'iife',
  /** The syntax level of the script. Browsers since the end of 2020 understand it. */
  target: 'es2021',
  /** A page may have any encoding, and ASCII is the same in all of them. */
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'silent',
  plugins: [rrwebInSlices],
} as const satisfies BuildOptions

/**
 * Builds the recorder of session replay. On one machine it runs for the first request of the script, and for
 * AWS when the functions are bundled. Throws the error of esbuild.
 */
export async function buildRecorder(): Promise<BuiltRecorder> {
  const { outputFiles } = await build({
    ...RECORDER_BUNDLE,
    entryPoints: [fileURLToPath(new URL('recorder/index.ts', import.meta.url))],
    write: false,
  })
  const code = outputFiles[0]!.text
  return { code, sha256: createHash('sha256').update(code).digest('hex') }
}
