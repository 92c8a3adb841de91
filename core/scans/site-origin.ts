import { isAllowedOrigin } from '#core/projects/origins'
import type { Project } from '#core/projects/project'
import type { ScanResult } from '#schemas/website-scans'

/** Where a site really is, and whether its project takes events from there. */
export type SiteOrigin = {
  origin: string
  is_allowed: boolean
  /** The request that allows it; null: nothing is to change. */
  change: { method: 'PATCH'; path: string; body: { allowed_origins: string } } | null
}

/**
 * Compares the origin that has answered with what the project allows (U117). A site often leads from
 * `example.com` to `www.example.com`, and /track takes events of the listed origins alone: the tracker of
 * such a site would send events that are all refused.
 */
export function siteOriginOf(
  { normalized_url, hostname }: Pick<ScanResult, 'normalized_url' | 'hostname'>,
  { id, allowed_origins }: Pick<Project, 'id' | 'allowed_origins'>,
): SiteOrigin | null {
  const url = URL.parse(normalized_url)
  if (url === null || hostname === '') return null
  // Results of before name the address that was asked for.
  url.hostname = hostname
  const { origin } = url
  if (isAllowedOrigin({ allowed_origins }, origin)) return { origin, is_allowed: true, change: null }
  const body = { allowed_origins: `${allowed_origins},${origin}` }
  return { origin, is_allowed: false, change: { method: 'PATCH', path: `/projects/${id}`, body } }
}
