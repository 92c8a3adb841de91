import { plainText } from '#core/text/clean-text'
import type { FetchedPage } from '#scanner/types'
import { findActions } from './actions.ts'
import type { Action, PageFinding, Plan, Provider } from './findings.ts'
import { type HtmlElement, type HtmlPage, parseHtml, textOf } from './html-tree.ts'
import { languageOf, languageOfTag } from './languages.ts'
import { countWords } from './phrase-index.ts'
import { type FoundPrice, findPlans, findPrices } from './prices.ts'
import { detectProviders } from './providers/detect-providers.ts'
import { FRAMEWORKS } from './providers/frameworks.ts'
import { ancestorOf, regionOf } from './regions.ts'
import { declaredActions } from './schema-actions.ts'
import { readStructuredData, type StructuredItem } from './structured-data.ts'
import { targetOf } from './targets.ts'

/** Headings and entries of the navigation of one page, and their longest texts, characters. */
const [MAX_HEADINGS, MAX_NAVIGATION, MAX_LABEL_CHARS] = [60, 80, 80]
/** Longest title and description, characters. */
const MAX_SENTENCE_CHARS = 200
/** Characters of the text of a page that classes and languages are looked for in. */
const MAX_SAMPLE_CHARS = 30_000
/** Fewer words are no content. */
const SHELL_WORDS = 40
/** Languages that are written without blanks between words. */
const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh', 'th', 'lo', 'my', 'km'])

export type Heading = { level: number; text: string; end: number }

type Counts = {
  code: number
  /** Blocks of code that ask an interface for something. */
  requests: number
  articles: number
  canvas: number
  audio: number
  outputs: number
  /** Fields that no form sends to a server: a script uses them. */
  looseInputs: number
}

export type PageReading = {
  finding: PageFinding
  host: string
  siteName: string | null
  openGraphType: string | null
  description: string
  headings: Heading[]
  navigation: string[]
  /** The beginning of the text. It does not leave the reader. */
  sample: string
  items: StructuredItem[]
  actions: Action[]
  prices: FoundPrice[]
  plans: Plan[]
  providers: Provider[]
  hasTracker: boolean
  framework: { name: string; evidence: string } | null
  alternates: string[]
  hasConsentBanner: boolean
  /** Whether the page names a feed of its texts or its episodes. */
  hasFeed: boolean
  counts: Counts
  isCut: boolean
}

/** Reads one page. The time and the memory that this takes grow with the length of the page alone. */
export function readPage({ finalUrl, status, html, rendered }: FetchedPage): PageReading {
  const page = parseHtml(html)
  const path = URL.parse(finalUrl)?.pathname ?? '/'
  const tags = Map.groupBy(page.elements, ({ tag }) => tag)
  const all = (...names: string[]) => names.flatMap(name => tags.get(name) ?? [])
  const meta = metaOf(all('meta'))
  const sample = sampleOf(page)
  const language = languageOf(sample, all('html')[0]?.attributes.get('lang'))
  const headings = headingsOf(page)
  const scripts = all('script')
  const addresses = addressesOf(all('script', 'link', 'iframe', 'img'))
  const prices = findPrices(page.texts, path)
  const words = countWords(sample, UNSPACED.has(language ?? ''))
  const title = plainText(titleOf(page, all('title')), MAX_SENTENCE_CHARS)
  const items = readStructuredData(page.elements)
  return {
    finding: {
      path,
      status,
      title,
      h1: headings.find(({ level }) => level === 1)?.text ?? '',
      description: plainText(meta('description') ?? meta('og:description') ?? '', MAX_SENTENCE_CHARS),
      language,
      rendered,
      isShell: !rendered && words < SHELL_WORDS && scripts.length > 0 && hasShellRoot(page.elements),
      words,
    },
    host: URL.parse(finalUrl)?.hostname ?? '',
    siteName: meta('og:site_name') ?? meta('application-name') ?? null,
    openGraphType: meta('og:type') ?? null,
    description: meta('description') ?? meta('og:description') ?? '',
    headings,
    navigation: navigationOf(page, all('a'), finalUrl),
    sample,
    items,
    actions: findActions(page, { path, url: finalUrl, language, declared: declaredActions(items, finalUrl) }),
    prices,
    plans: findPlans(headings, prices, path),
    providers: detectProviders(
      addresses,
      scripts.map(({ script }) => script).filter(script => script !== ''),
    ),
    hasTracker: scripts.some(hasTrackerTag),
    framework: frameworkOf(page.elements, addresses, meta('generator') ?? ''),
    alternates: all('link').flatMap(({ attributes }) => languageOfTag(attributes.get('hreflang')) ?? []),
    hasConsentBanner: page.elements.some(isConsentBanner),
    hasFeed: all('link').some(({ attributes }) =>
      /^application\/(rss|atom)\+xml/i.test(attributes.get('type') ?? ''),
    ),
    counts: countsOf(page, all),
    isCut: page.isCut,
  }
}

/** A request over HTTP, or the key of an interface, in an example. */
const REQUEST =
  /\bcurl\s|\b(?:GET|POST|PUT|DELETE)\s+(?:https?:\/\/|\/v?\d?)|\bapi[_-]?key\b|authorization:\s*bearer/i
/** Characters of a block of code, and blocks of one page, that are searched. */
const [MAX_CODE_CHARS, MAX_CODE] = [400, 50]

function countsOf(page: HtmlPage, all: (...names: string[]) => HtmlElement[]): Counts {
  const blocks = all('pre').filter(({ isInert }) => !isInert)
  return {
    code: blocks.length,
    requests: blocks.slice(0, MAX_CODE).filter(block => REQUEST.test(textOf(page, block, MAX_CODE_CHARS)))
      .length,
    articles: all('article').length,
    canvas: all('canvas').length,
    audio: all('audio').length,
    outputs: all('output').length,
    looseInputs: all('input', 'textarea').filter(isLoose).length,
  }
}

/** Types of fields that tools have. A search, an address or a password is sent somewhere. */
const OF_TOOLS = /^(file|number|range|color|text|textarea)$/

function isLoose(element: HtmlElement): boolean {
  const type =
    element.tag === 'textarea' ? 'textarea' : (element.attributes.get('type') ?? 'text').toLowerCase()
  if (element.isInert || !OF_TOOLS.test(type)) return false
  if (type === 'text' && /name|mail|search|query|^q$|phone|tel/i.test(element.attributes.get('name') ?? ''))
    return false
  const form = ancestorOf(element, ({ tag }) => tag === 'form')
  // A script may send a form of words, so only numbers and files in it speak for a tool.
  if (form !== null && /^text/.test(type)) return false
  return form === null || !(form.attributes.has('action') || form.attributes.has('method'))
}

function metaOf(elements: readonly HtmlElement[]): (name: string) => string | undefined {
  const values = new Map<string, string>()
  for (const { attributes } of elements) {
    const name = (attributes.get('name') ?? attributes.get('property') ?? '').toLowerCase()
    const content = attributes.get('content')?.trim()
    if (name !== '' && content && !values.has(name)) values.set(name, content)
  }
  return name => values.get(name)
}

function titleOf(page: HtmlPage, titles: readonly HtmlElement[]): string {
  const title = titles.find(element => !element.isInert && element.parent?.tag !== 'svg')
  return title === undefined ? '' : textOf(page, title, 2 * MAX_SENTENCE_CHARS)
}

function headingsOf(page: HtmlPage): Heading[] {
  const elements = page.elements.filter(({ tag, isInert }) => !isInert && /^h[1-4]$/.test(tag))
  return elements.slice(0, MAX_HEADINGS).map(element => ({
    level: Number(element.tag[1]),
    text: plainText(textOf(page, element, 2 * MAX_SENTENCE_CHARS), MAX_SENTENCE_CHARS),
    end: element.endText,
  }))
}

function navigationOf(page: HtmlPage, links: readonly HtmlElement[], url: string): string[] {
  const inNavigation = links.filter(
    link =>
      !link.isInert &&
      /^(header|nav)$/.test(regionOf(link)) &&
      !targetOf(link.attributes.get('href'), url).isExternal,
  )
  return inNavigation
    .slice(0, MAX_NAVIGATION)
    .map(link => plainText(textOf(page, link, MAX_LABEL_CHARS), MAX_LABEL_CHARS))
    .filter(text => text !== '')
}

function sampleOf(page: HtmlPage): string {
  let sample = ''
  for (const text of page.texts) {
    if (sample.length >= MAX_SAMPLE_CHARS) break
    sample += `${text.slice(0, MAX_SAMPLE_CHARS).trim()}\n`
  }
  return sample
}

function addressesOf(elements: readonly HtmlElement[]): string[] {
  return elements.flatMap(({ attributes }) => attributes.get('src') ?? attributes.get('href') ?? [])
}

/** The script tag of this service (docs/tracker.md). */
function hasTrackerTag({ attributes }: HtmlElement): boolean {
  return /^aat_/.test(attributes.get('data-token') ?? '')
}

const SHELL_ROOTS = /^(root|app|__next|__nuxt|svelte|main-app|application|app-root|q-app)$/

function hasShellRoot(elements: readonly HtmlElement[]): boolean {
  return elements.some(
    ({ tag, attributes }) => SHELL_ROOTS.test(attributes.get('id') ?? '') || /^app-root$/.test(tag),
  )
}

function isConsentBanner({ tag, attributes, isInert }: HtmlElement): boolean {
  if (isInert || !/^(div|section|aside|dialog|form)$/.test(tag)) return false
  return /cookie|consent|gdpr|rgpd|dsgvo/i.test(
    `${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`,
  )
}

function frameworkOf(
  elements: readonly HtmlElement[],
  addresses: readonly string[],
  generator: string,
): PageReading['framework'] {
  const ids = new Set(elements.map(({ attributes }) => attributes.get('id') ?? ''))
  const names = new Set(elements.slice(0, 5_000).flatMap(({ attributes }) => [...attributes.keys()]))
  for (const { name, generator: pattern, ids: ownIds, attributes, addresses: parts } of FRAMEWORKS) {
    if (pattern?.test(generator)) return { name, evidence: `generator ${plainText(generator, 40)}` }
    const id = ownIds?.find(each => ids.has(each))
    if (id !== undefined) return { name, evidence: `element #${id}` }
    const attribute = attributes?.find(each => names.has(each))
    if (attribute !== undefined) return { name, evidence: `attribute ${attribute}` }
    const part = parts?.find(each => addresses.some(address => address.includes(each)))
    if (part !== undefined) return { name, evidence: `address with ${part}` }
  }
  return null
}
