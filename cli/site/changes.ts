import { insertedBefore } from './insert.ts'
import type { Site } from './site-files.ts'

/** One file as it is (null: a new one) and as it would be. */
export type Change = { path: string; before: string | null; after: string }

const HEAD_END = /<\/head\s*>/i

/** A change of each of the files in which the text has a place. */
export function changesOf(
  site: Site,
  paths: readonly string[],
  change: (text: string, path: string) => string | null,
): Change[] {
  return paths.flatMap(path => {
    const before = site.read(path)
    const after = before === null ? null : change(before, path)
    return before === null || after === null ? [] : [{ path, before, after }]
  })
}

/** The tag at the end of the head of each of the files. */
export function headChanges(site: Site, paths: readonly string[], tag: string | ((text: string) => string)) {
  return changesOf(site, paths, text =>
    insertedBefore(text, HEAD_END, typeof tag === 'string' ? tag : tag(text)),
  )
}

/** A file that is not there yet; none when it is. */
export function newFile(site: Site, path: string, text: string): Change[] {
  return site.paths.includes(path) ? [] : [{ path, before: null, after: text }]
}
