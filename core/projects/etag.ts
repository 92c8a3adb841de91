import { createHash } from 'node:crypto'

/**
 * The name of a version of what the owner has written. What is equal has one version, so a repeated PUT
 * changes none, nor does the first one of a context without any entries.
 */
export function etagOf(fields: object): string {
  const text = JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`
}

/**
 * Whether a header If-Match allows a write. A proxy that compresses responses makes our ETag weak. It still
 * names the same version, so the mark is ignored. `etag`: null for what does not exist, which matches
 * nothing.
 */
export function isMatch(ifMatch: string | undefined, etag: string | null): boolean {
  if (ifMatch === undefined) return true
  if (etag === null) return false
  const names = ifMatch.split(',').map(name => name.trim().replace(/^W\//, ''))
  return names.includes('*') || names.includes(etag)
}
