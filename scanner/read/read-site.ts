import { plainText } from '#core/text/clean-text'
import type { FetchedPage } from '#scanner/types'
import { aboutOf, audienceOf, nameOf } from './about.ts'
import { classify } from './classify.ts'
import { type Action, MAX_LIST, type PagesFindings, type Provider, type SiteFindings } from './findings.ts'
import { type PageReading, readPage } from './read-page.ts'

/** Pages that are read; more are left out. */
export const MAX_PAGES = 30
/** Headings and entries of the navigation that the findings keep. */
const MAX_LABELS = 40

/**
 * Reads the pages of a site, the first one first. It has no clock, no network and no state: the same pages
 * always give the same findings. Of the texts of the pages only short quotes stay. `read` reads one page.
 */
export function readSite(fetched: readonly FetchedPage[], read = readPage): SiteFindings {
  const pages = fetched.filter(isDocument).slice(0, MAX_PAGES).map(read)
  const first = pages.length > 1 ? findingsOf(fetched.slice(0, 1), pages.slice(0, 1)) : null
  return { ...findingsOf(fetched, pages), first }
}

/** What pages say together. */
function findingsOf(fetched: readonly FetchedPage[], pages: readonly PageReading[]): PagesFindings {
  const first = pages[0]
  const actions = mergeActions(pages.flatMap(page => page.actions))
  const url = fetched[0]?.finalUrl ?? ''
  return {
    url,
    hostname: URL.parse(url)?.hostname ?? '',
    pages: pages.map(({ finding }) => finding),
    languages: languagesOf(pages),
    name: nameOf(pages),
    about: aboutOf(pages),
    audience: audienceOf(pages),
    classification: classify(pages, actions, URL.parse(url)?.hostname ?? ''),
    actions: actions.slice(0, MAX_LIST),
    prices: pages.flatMap(({ prices }) => prices.map(({ text: _, ...price }) => price)).slice(0, MAX_LIST),
    plans: pages.flatMap(({ plans }) => plans).slice(0, MAX_LABELS),
    schema_types: byFrequency(pages.flatMap(({ items }) => items.map(({ type }) => type))).slice(
      0,
      MAX_LABELS,
    ),
    headings: labelsOf(pages, ({ headings }) => headings.map(({ text }) => text)),
    navigation: labelsOf(pages, ({ navigation }) => navigation),
    providers: mergeProviders(pages.flatMap(({ providers }) => providers)),
    has_tracker: pages.some(({ hasTracker }) => hasTracker),
    framework: pages.find(({ framework }) => framework !== null)?.framework ?? null,
    is_shell: first?.finding.isShell ?? false,
    wall: wallOf(first),
    has_consent_banner: pages.some(({ hasConsentBanner }) => hasConsentBanner),
    notes: notesOf(fetched, pages),
  }
}

function isDocument({ contentType, html }: FetchedPage): boolean {
  return contentType === '' || /html|xml/.test(contentType) || /^\s*</.test(html.slice(0, 200))
}

/**
 * The same action on several pages is one. It keeps the first page that has it once: the page of a product
 * and not a list of products.
 */
function mergeActions(actions: readonly Action[]): Action[] {
  const same = Map.groupBy(actions, ({ intent, kind, words, target, region }) =>
    JSON.stringify([intent, kind, words.toLowerCase(), target, region]),
  )
  return [...same.values()].map(all => {
    const byPage = [...Map.groupBy(all, ({ page }) => page).values()]
    const [action] = byPage.find(({ length }) => length === 1) ?? all
    return { ...(action as Action), pages: byPage.length }
  })
}

function mergeProviders(providers: readonly Provider[]): Provider[] {
  return [...new Map(providers.toReversed().map(provider => [provider.name, provider])).values()].toReversed()
}

function languagesOf(pages: readonly PageReading[]): string[] {
  const own = pages.flatMap(({ finding }) => finding.language ?? [])
  return [...new Set([...byFrequency(own), ...pages.flatMap(({ alternates }) => alternates)])].slice(0, 40)
}

function byFrequency(values: readonly string[]): string[] {
  return [...Map.groupBy(values, value => value)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([value]) => value)
}

function labelsOf(pages: readonly PageReading[], texts: (page: PageReading) => string[]) {
  const labels = pages.flatMap(page =>
    texts(page).map(text => ({ page: page.finding.path, quote: plainText(text, 80) })),
  )
  return [
    ...new Map(labels.filter(({ quote }) => quote !== '').map(each => [each.quote, each])).values(),
  ].slice(0, MAX_LABELS)
}

const CHALLENGE = /just a moment|attention required|verify you are human|are you a robot|access denied|ddos/i

function wallOf(page: PageReading | undefined): SiteFindings['wall'] {
  if (page === undefined) return 'empty'
  const { finding, actions } = page
  if (CHALLENGE.test(finding.title)) return 'challenge'
  if (finding.status >= 400) return 'error'
  const hasLogIn = actions.some(({ intent, kind }) => intent === 'log_in' && kind === 'form')
  if (hasLogIn && finding.words < 120) return 'login'
  return finding.words < 5 && !finding.isShell ? 'empty' : null
}

function notesOf(fetched: readonly FetchedPage[], pages: readonly PageReading[]): string[] {
  const cut = pages.filter(({ isCut }) => isCut).map(({ finding }) => finding.path)
  const shells = pages
    .filter(({ finding }) => finding.isShell && !finding.rendered)
    .map(({ finding }) => finding.path)
  const others = fetched.length - pages.length
  return [
    ...(cut.length > 0
      ? [`Only the first part of ${quotedPaths(cut)} was read, because the page is very large.`]
      : []),
    ...(shells.length > 0
      ? [
          `${quotedPaths(shells)} shows its content by scripts that have not run here, so buttons and forms may be missing.`,
        ]
      : []),
    ...(others > 0
      ? [
          `${others} of ${fetched.length} documents are no HTML pages or are beyond the first ${MAX_PAGES}, and were not read.`,
        ]
      : []),
  ]
}

function quotedPaths(paths: readonly string[]): string {
  return paths.map(path => JSON.stringify(plainText(path, 80))).join(', ')
}
