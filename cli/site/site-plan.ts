import { CommandError } from '#cli/errors'
import { cleanText } from '#core/text/clean-text'
import type { Change } from './changes.ts'
import { diffText, shownName } from './diff.ts'
import type { Site } from './site-files.ts'
import { MAX_PAGES, type SiteKind } from './site-kinds.ts'
import { type FoundSnippet, type Snippet, snippetIn } from './snippet.ts'

/** What `init` does to a site. */
export type SitePlan = {
  changes: readonly Change[]
  /** Files that have the snippet already. */
  existing: readonly string[]
  /** Pages beyond those that one run changes. */
  left: number
}

const SOURCES = /\.(html?|astro|vue|svelte|[cm]?[jt]sx?|php|liquid|njk|toml|ya?ml)$/i
/** Files of which the difference is shown; many pages get the same line. */
const MAX_SHOWN = 5

/** Every snippet in the sources of the site. */
export function snippetsOf(site: Site): FoundSnippet[] {
  return site.paths
    .filter(path => SOURCES.test(path))
    .flatMap(path => snippetIn(path, site.read(path) ?? '') ?? [])
}

/**
 * Throws CommandError if the site sends its events to another project, because then it would send them twice.
 */
export function refuseOther(found: readonly FoundSnippet[], name: string, token?: string): void {
  const other = found.find(
    each => (each.project !== null && each.project !== name) || (token !== undefined && each.token !== token),
  )
  if (other === undefined) return
  const whose =
    other.project === name ? `an older project ${name}` : `the project ${other.project ?? 'of another token'}`
  throw new CommandError({
    error: 'SNIPPET_EXISTS',
    message: `${cleanText(other.path, 200)} has the snippet of ${whose}, so nothing was written.`,
    suggested_action: 'Remove that snippet, then run the same command again.',
  })
}

/** The changes that put the snippet into the site once. */
export function planSite(
  site: Site,
  kind: SiteKind | null,
  snippet: Snippet,
  found: readonly FoundSnippet[],
): SitePlan {
  const existing = found.map(({ path }) => path)
  if (kind === null || (existing.length > 0 && kind.isByPage !== true))
    return { changes: [], existing, left: 0 }
  const changes = kind.changes(site, snippet).filter(({ path }) => !existing.includes(path))
  return { changes: changes.slice(0, MAX_PAGES), existing, left: Math.max(0, changes.length - MAX_PAGES) }
}

/** The differences of the first files, and the names of the others. */
export function planText({ changes }: Pick<SitePlan, 'changes'>): string {
  const shown = changes.slice(0, MAX_SHOWN).map(({ path, before, after }) => diffText(path, before, after))
  const others = changes.slice(MAX_SHOWN).map(({ path }) => shownName(path))
  return [...shown, ...(others.length === 0 ? [] : [`The same in ${others.join(', ')}`])].join('\n')
}
