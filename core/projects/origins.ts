import { ApiError } from '#core/errors'
import type { Project } from './project.ts'

/** Far more than a site has; a project's item must stay small, as every event looks at it. */
const MAX_ORIGINS = 100
const HOST = /^([a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?|\[[0-9a-f:.]+\])$/

/**
 * The stored form of `allowed_origins` (contract 1.4): `*`, or origins separated by commas, without repeats. A URL is
 * cut to its origin, a bare host becomes https. Throws MISSING_FIELDS that names the part which cannot be read.
 */
export function normalizeOrigins(text: string): string {
  if (text.trim() === '*') return '*'
  const origins = new Set(text.split(',').map(part => originOf(part.trim())))
  if (origins.size > MAX_ORIGINS) throw unreadable(`has more than ${MAX_ORIGINS} origins`)
  return [...origins].join(',')
}

/** The first origin of a normalised list; null for `*`. */
export function primaryOrigin(allowedOrigins: string): string | null {
  return allowedOrigins === '*' ? null : (allowedOrigins.split(',', 1)[0] ?? null)
}

/** Whether a page of this origin may send events to the project; requests without the header are no page's. */
export function isAllowedOrigin(
  { allowed_origins }: Pick<Project, 'allowed_origins'>,
  originHeader: string | undefined,
): boolean {
  if (allowed_origins === '*' || originHeader === undefined) return true
  const allowed = allowed_origins.split(',')
  // Browsers send an origin as the list has it; others may spell out a default port.
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
    throw unreadable(`cannot be read at ${JSON.stringify(part.slice(0, 100))}`)
  }
  return url.origin
}

function unreadable(problem: string): ApiError {
  return new ApiError(
    'MISSING_FIELDS',
    `allowed_origins ${problem}; it takes * or a comma-separated list of origins such as https://example.com`,
  )
}
