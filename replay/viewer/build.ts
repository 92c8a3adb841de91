import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * The scripts of the viewer, of its page and of the document that shows the recording, and the SHA-256 of the
 * UTF-8 bytes of each in hex.
 */
export type ViewerScripts = Record<'page' | 'stage', { code: string; sha256: string }>

/**
 * Builds the scripts of the viewer. On one machine it runs for the first request of the viewer, and for AWS
 * when the functions are bundled. Only this file runs in Node; the others are for browsers.
 */
export async function buildViewer(): Promise<ViewerScripts> {
  const entry = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const { outputFiles } = await build({
    entryPoints: { page: entry('page/main.ts'), stage: entry('stage/stage.ts') },
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    outdir: 'memory',
    write: false,
    logLevel: 'silent',
  })
  const script = (name: string) => {
    const code = outputFiles.find(({ path }) => path.endsWith(`${name}.js`))!.text
    return { code, sha256: createHash('sha256').update(code).digest('hex') }
  }
  return { page: script('page'), stage: script('stage') }
}
