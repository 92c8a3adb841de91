import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** The sources of the repository and what they import: for test/import-rules.ts and the picture of core. */

export type SourceFile = { /** Relative to the root of the repository. */ path: string; text: string }

/**
 * Returns every TypeScript source below `root`, or below one folder of it, without installed and built files.
 */
export function sourcesBelow(root: string, folder = '.'): SourceFile[] {
  const exclude = ['**/node_modules/**', 'build/**', 'cdk.out/**']
  const paths = globSync(`${folder}/**/*.{ts,mts,cts,tsx}`, { cwd: root, exclude })
  return paths.map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export type Import = { name: string /** `import type … from`. */; isTypeOnly: boolean }

/** The file of the repository that an import names; null for a package. */
export function fileOf(path: string, name: string): string | null {
  if (name.startsWith('#')) return name.endsWith('.tsx') ? name.slice(1) : `${name.slice(1)}.ts`
  return name.startsWith('.') ? posix.join(posix.dirname(path), name) : null
}

/** The room of a file of core, such as `usage`, `lake/read` or `time.ts`; null outside of core. */
export function roomOf(path: string): string | null {
  return /^core\/((?:lake\/)?[^/]+)/.exec(path)?.[1] ?? null
}

/**
 * Returns all imports of a file: static, re-exported, for side effects, of types, dynamic, and by require.
 */
export function importsOf(code: string): Import[] {
  const pattern =
    /(\bimport\s+type\s[^'"]*?)?\bfrom\s*(['"])([^'"\s]+)\2|\bimport\s*\(?\s*(['"])([^'"\s]+)\4|\brequire\w*\s*\(\s*(['"])([^'"\s]+)\6/g
  return [...code.matchAll(pattern)].map(match => ({
    name: match[3] ?? match[5] ?? match[7] ?? '',
    isTypeOnly: match[1] !== undefined,
  }))
}

/** Removes comments well enough for our own sources. Keeps a `//` after a colon, which is an address. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
}
