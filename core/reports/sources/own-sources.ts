import type { ProjectContext } from '#schemas/contexts'
import type { OwnSources } from './name-sources.ts'

/** Where a project's own pages are: `*` or origins separated by commas, and hosts that share its users. */
type OwnHosts = { allowed_origins?: string | undefined; link_domains?: readonly string[] | undefined }

/** What a project and its context say about its own sources. */
export function ownSources(
  { allowed_origins = '*', link_domains = [] }: OwnHosts,
  { channels }: Pick<ProjectContext, 'channels'>,
): OwnSources {
  const origins = allowed_origins
    .split(',')
    .flatMap(origin => URL.parse(origin.trim())?.hostname ?? [])
    .filter(host => !host.includes('*'))
  const hosts = [...origins, ...link_domains].map(host => host.toLowerCase().replace(/^www\./, ''))
  return { hosts: [...new Set(hosts)], rules: channels ?? [] }
}
