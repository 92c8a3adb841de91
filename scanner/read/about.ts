import { plainText } from '#core/text/clean-text'
import type { Evidence } from '#schemas/website-scans'
import { SCHEMA_TYPES } from './class-signs.ts'
import type { PageReading } from './read-page.ts'
import { LANGUAGES } from './words/languages.ts'
import { phrasesOf, wordsOf } from './words.ts'

/** Longest quote of what a site is, and for whom, characters. */
const [MAX_ABOUT_CHARS, MAX_AUDIENCE_CHARS] = [160, 60]
/** Shorter descriptions say nothing. */
const MIN_ABOUT_CHARS = 20

/** How the site calls itself: by its own field, or by the part of the title that stands on all pages. */
export function nameOf(pages: readonly PageReading[]): Evidence | null {
  const first = pages[0]
  if (first === undefined) return null
  const named = pages.find(({ siteName }) => siteName)
  if (named?.siteName) return quoteOf(named, named.siteName, 60)
  const item = first.items.find(
    ({ type, name }) => name && (/Organization|WebSite|Business|Store/.test(type) || isNamedAfter(type)),
  )
  if (item?.name) return quoteOf(first, item.name, 60)
  const name = nameInTitles(pages)
  return name === null ? null : quoteOf(first, name, 60)
}

/** Parts of titles that name a page and no site, in many languages. */
const GENERIC =
  /^(home|homepage|home page|welcome|start|startseite|willkommen|accueil|bienvenue|inicio|inicial|início|página inicial|bienvenidos|home ?page|benvenuti|strona główna|start(side|sida)|forside|hjem|etusivu|kezdőlap|acasă|úvod|domů|početna|domov|ana sayfa|главная|головна|αρχική|الرئيسية|الصفحة الرئيسية|ホーム|首页|홈|beranda|trang chủ|หน้าแรก|index|untitled|avaleht)$/iu

/**
 * The part of the first title that other pages have too; else the one that the host or the first heading
 * repeats; else the first one that is no `Home`. A short part is often no name: `a food blog`.
 */
function nameInTitles(pages: readonly PageReading[]): string | null {
  const [first, ...others] = pages
  if (first === undefined) return null
  const { title, h1 } = first.finding
  const parts = partsOf(title).filter(part => !GENERIC.test(part))
  const elsewhere = others.flatMap(({ finding }) => [...new Set(partsOf(finding.title))])
  const common = parts
    .filter(part => elsewhere.includes(part))
    .toSorted((a, b) => countOf(elsewhere, b) - countOf(elsewhere, a))[0]
  // `Kern's practice in Bonn` and the heading `Kern's practice`: the heading is the name.
  const heading =
    parts.find(part => h1.length >= 3 && part !== h1 && part.startsWith(h1)) === undefined ? null : h1
  const host = lettersOf(first.host.replace(/^www\./, '').split('.')[0] ?? '')
  const ofHost = parts.find(
    part =>
      host.length >= 3 &&
      (host.includes(lettersOf(part)) || lettersOf(part).includes(host)) &&
      lettersOf(part) !== '',
  )
  return common ?? heading ?? ofHost ?? parts[0] ?? null
}

function countOf(parts: readonly string[], part: string): number {
  return parts.filter(each => each === part).length
}

function lettersOf(text: string): string {
  return wordsOf(text).join('')
}

function partsOf(title: string): string[] {
  return title
    .split(/\s[|–—·-]\s|[|｜]|:\s|：/)
    .map(part => part.trim())
    .filter(Boolean)
}

/** Places, people and software carry the name of their site; a product or a text does not. */
function isNamedAfter(type: string): boolean {
  const site_class = SCHEMA_TYPES.find(([, , pattern]) => pattern.test(type))?.[0]
  return site_class === 'local_business' || site_class === 'saas' || site_class === 'app' || type === 'Person'
}

/** What the site says it is, in the words of its first page. */
export function aboutOf(pages: readonly PageReading[]): Evidence | null {
  for (const page of pages) {
    const { description, headings, items, finding } = page
    const texts = [
      description,
      ...items.flatMap(item => item.description ?? []),
      ...headings.filter(({ level }) => level <= 2).map(({ text }) => text),
      finding.title,
    ]
    const text = texts.find(each => each.trim().length >= MIN_ABOUT_CHARS)
    if (text !== undefined) return quoteOf(page, text, MAX_ABOUT_CHARS)
  }
  return null
}

/**
 * For whom the site says it is: what follows `for` in its headings and its description. Words such as `free`
 * and numbers are no people.
 */
export function audienceOf(pages: readonly PageReading[]): Evidence | null {
  for (const page of pages) {
    const { headings, description, finding } = page
    for (const text of [...headings.slice(0, 6).map(each => each.text), description, finding.title]) {
      const audience = audienceIn(text, finding.language)
      if (audience !== null) return quoteOf(page, audience, MAX_AUDIENCE_CHARS)
    }
  }
  return null
}

const NO_PEOPLE =
  /^(free|you|your|yours|all|the first|more|less|every|any|a|an|it|this|that|sale|rent|\d|from|example|kostenlos|gratis|dich|sie|ihr|ihre|alle|vous|votre|tous|ti|tu|te|voi|ogni|jou|jouw|iedereen|dig|din|ciebie|wszystkich|use|just|real|good|now|today|men and|life)\b/i

function audienceIn(text: string, language: string | null): string | null {
  const own = LANGUAGES[language ?? '']
  if (own?.isPostposed) {
    const before = phrasesOf(own.audience)
      .map(phrase => text.slice(0, 400).split(phrase)[0] ?? '')
      .find(part => part !== '' && part.length < Math.min(400, text.length))
    return (
      before
        ?.split(own.isUnspaced ? /[、。,\s]/ : /[.,;:!?–—|()]/)
        .at(-1)
        ?.trim() || null
    )
  }
  const phrases = [language, 'en'].flatMap(code => phrasesOf(LANGUAGES[code ?? '']?.audience ?? ''))
  const after = phrases.flatMap(phrase => {
    const match = new RegExp(
      `(?<!\\p{L}|(?:available|open|ready|looking|known|made|waiting|auch|also|even|anche|tambi[eé]n|aussi|même|ook|även|też|também)\\s)${phrase}\\s+([^.,;:!?–—|()]{3,60})`,
      'iu',
    ).exec(text.slice(0, 400))
    return match?.[1] ?? []
  })
  const people = after.map(each => each.trim()).find(each => !NO_PEOPLE.test(each))
  return (
    people
      ?.split(/\s(?:that|who|which|qui|que|che|som)\s/, 1)[0]
      ?.split(/\s+/)
      .slice(0, 7)
      .join(' ') ?? null
  )
}

function quoteOf(page: PageReading, text: string, maxChars: number): Evidence {
  return { page: page.finding.path, quote: plainText(text, maxChars) }
}
