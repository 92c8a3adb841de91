import { ApiError } from '#core/errors'
import { quoted } from '#core/text/clean-text'
import type { Project } from './project.ts'

/** Far more origins than a site has. A project's item must stay small, because every event reads it. */
const MAX_ORIGINS = 100
const HOST = /^([a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?|\[[0-9a-f:.]+\])$/

/**
 * Returns the stored form of `allowed_origins` (docs/api/projects.md): `*`, or different origins separated by
 * commas. A URL is cut to its origin, and a bare host becomes https. Throws MISSING_FIELDS that names the
 * part which is not an origin.
 */
export function normalizeOrigins(text: string): string {
  if (text.trim() === '*') return '*'
  const origins = new Set(text.split(',').map(part => originOf(part.trim())))
  if (origins.size > MAX_ORIGINS) throw originsError(`has more than ${MAX_ORIGINS} origins`)
  return [...origins].join(',')
}

/** Returns the first origin of a normalised list; null for `*`. */
export function primaryOrigin(allowedOrigins: string): string | null {
  return allowedOrigins === '*' ? null : (allowedOrigins.split(',', 1)[0] ?? null)
}

/** Returns whether a request may send events to the project. Only browsers send the Origin header. */
export function isAllowedOrigin(
  { allowed_origins }: Pick<Project, 'allowed_origins'>,
  originHeader: string | undefined,
): boolean {
  if (allowed_origins === '*' || originHeader === undefined) return true
  const allowed = allowed_origins.split(',')
  // Browsers send an origin in the same form as the list; other clients may add a default port.
  return allowed.includes(originHeader) || allowed.includes(URL.parse(originHeader)?.origin ?? 'null')
}

function originOf(part: string): string {
  const url = URL.parse(part.includes('://') ? part : `https://${part}`)
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    !HOST.test(url.hostname) ||
    url.hostname.length > 255
  ) {
    throw originsError(`has a part that is not an origin: ${quoted(part)}`)
  }
  return url.origin
}

function originsError(problem: string): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    `Field \`allowed_origins\` ${problem}. Send \`*\` or a comma-separated list of at most ${MAX_ORIGINS} origins such as \`https://example.com\`.`,
  )
}
