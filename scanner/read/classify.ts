import type { Evidence, SiteClass } from '#schemas/website-scans'
import { CLASS_INTENTS, PLATFORMS, PUBLIC_HOST, SCHEMA_TYPES, SERVICE_CLASSES } from './class-signs.ts'
import type { Action, Classification } from './findings.ts'
import { createPhraseIndex } from './phrase-index.ts'
import type { PageReading } from './read-page.ts'
import { LANGUAGES } from './words/languages.ts'

/** Less evidence names no class: of one kind of evidence, and of several that agree. */
const [MIN_SCORE, MIN_SCORE_OF_SEVERAL] = [3, 1.9]
/** Several agree if the next class has so much less. */
const CLEAR_LEAD = 1.5
/** Points of a word: in the title or main heading of the first page, in another label, in the text. */
const [NAME_POINTS, LABEL_POINTS, TEXT_POINTS] = [1.5, 0.8, 0.35]
/** The most points of all words together. */
const MAX_WORD_POINTS = 5
/** Evidence of one class that the result shows. */
const MAX_EVIDENCE = 5
/** With so many points the class is as good as sure. */
const HALF_SURE = 4

/**
 * `source` is the kind of the evidence: of several points from one source for one class the best one counts,
 * so that a form on every page, or a word on ten, says no more than once.
 */
type Point = {
  site_class: SiteClass
  source: string
  points: number
  evidence: Evidence
  /** Of an action: fields or markup say what it is for, and not its words alone. */
  isStructure?: boolean
}

/** Words alone name no class, unless several of them do: one phrase may be about anything. */
const MAX_OF_ONE_ACTION = 2.9

const WORDS = Object.entries(LANGUAGES).map(([code, { classes, isUnspaced = false }]) => ({
  code,
  index: createPhraseIndex(Object.entries(classes) as [SiteClass, string][], {
    isUnspaced,
    isInflected: true,
  }),
}))

/**
 * Which kind of site this is: each sign gives points to a class, and the class with the most points wins. The
 * confidence grows with its points and with its lead.
 */
export function classify(
  pages: readonly PageReading[],
  actions: readonly Action[],
  hostname = '',
): Classification {
  const points = bounded([
    ...pages.flatMap(pointsOfPage),
    ...hostPoints(hostname),
    ...servicePoints(actions),
    ...actionPoints(actions),
    ...wordPoints(pages),
  ])
  const byClass = Map.groupBy(points, ({ site_class }) => site_class)
  const ranked = [...byClass]
    .map(([site_class, own]) => ({ site_class, score: own.reduce((sum, each) => sum + each.points, 0) }))
    .toSorted((a, b) => b.score - a.score || (a.site_class < b.site_class ? -1 : 1))
  const [first, second] = ranked
  const sources = first === undefined ? 0 : (byClass.get(first.site_class)?.length ?? 0)
  const isClear =
    first !== undefined &&
    sources > 1 &&
    first.score >= MIN_SCORE_OF_SEVERAL &&
    first.score >= CLEAR_LEAD * (second?.score ?? 0)
  if (first === undefined || (first.score < MIN_SCORE && !isClear)) {
    return { site_class: 'unknown', confidence: 0, evidence: [], runner_up: first?.site_class ?? null }
  }
  const lead = first.score / (first.score + (second?.score ?? 0))
  const confidence = Math.round(100 * lead * (first.score / (first.score + HALF_SURE))) / 100
  return {
    site_class: first.site_class,
    confidence,
    evidence: evidenceOf(byClass.get(first.site_class) ?? []),
    runner_up: second?.site_class ?? null,
  }
}

function evidenceOf(points: readonly Point[]): Evidence[] {
  const quotes = new Map(
    points.toSorted((a, b) => b.points - a.points).map(({ evidence }) => [evidence.quote, evidence]),
  )
  return [...quotes.values()].slice(0, MAX_EVIDENCE)
}

/** The best point of each source, and a bound where one action is all that speaks for a class. */
function bounded(points: readonly Point[]): Point[] {
  const best = [...Map.groupBy(points, ({ site_class, source }) => `${site_class} ${source}`).values()].map(
    same => same.toSorted((a, b) => b.points - a.points)[0] as Point,
  )
  return [...Map.groupBy(best, ({ site_class }) => site_class).values()].flatMap(own => {
    const isLone = own.length === 1 && own[0]?.source.startsWith('action ') && !own[0].isStructure
    return isLone ? own.map(each => ({ ...each, points: Math.min(each.points, MAX_OF_ONE_ACTION) })) : own
  })
}

function pointsOfPage({ finding, items, framework, counts, openGraphType, hasFeed }: PageReading): Point[] {
  const page = finding.path
  const platform = PLATFORMS[framework?.name ?? '']
  const signs: (Point | false | undefined)[] = [
    ...items.map(({ type }) => {
      const sign = SCHEMA_TYPES.find(([, , pattern]) => pattern.test(type))
      return sign && point(sign[0], `schema ${sign[0]}`, sign[1], page, `schema.org ${type}`)
    }),
    platform !== undefined && point(platform, 'platform', 4, page, framework?.evidence ?? ''),
    // A shop or an interface may show code too; documentation is code on page after page.
    counts.code > 0 &&
      counts.requests === 0 &&
      point(
        'docs',
        `code ${Math.min(counts.code, 3)}`,
        counts.code >= 3 ? 2 : 0.8,
        page,
        `${counts.code} blocks of code`,
      ),
    counts.requests > 0 && point('api', 'requests', 3.2, page, 'an example of a request'),
    openGraphType === 'article' && point('content', 'articles', 2, page, 'og:type article'),
    counts.articles >= 2 &&
      point('content', 'articles', counts.articles >= 3 ? 2 : 1.5, page, `${counts.articles} articles`),
    openGraphType === 'product' && point('shop', 'og', 2, page, 'og:type product'),
    openGraphType === 'profile' && point('portfolio', 'og', 1.5, page, 'og:type profile'),
    counts.audio > 0 && point('podcast', 'audio', 2.5, page, 'a player for sound'),
    counts.audio > 0 && hasFeed && point('podcast', 'feed', 1.5, page, 'a feed beside a player'),
    counts.canvas > 0 && point('app', 'tool', 2, page, 'a canvas'),
    counts.looseInputs >= 1 &&
      point(
        'app',
        'tool',
        counts.looseInputs >= 3 ? 2.5 : 1.5,
        page,
        `${counts.looseInputs} inputs that no form sends`,
      ),
    counts.outputs > 0 && point('app', 'output', 1.5, page, 'a place for a result'),
  ]
  return signs.filter(each => typeof each === 'object')
}

function hostPoints(hostname: string): Point[] {
  return PUBLIC_HOST.test(hostname) ? [point('public_service', 'host', 5, '/', hostname)] : []
}

/** Links to stores, ticket services and podcast apps. Two stores say more than one. */
function servicePoints(actions: readonly Action[]): Point[] {
  return actions.flatMap(({ target, isExternal, page, region }) => {
    const host = isExternal ? URL.parse(target ?? '')?.hostname.replace(/^www\./, '') : undefined
    const found = SERVICE_CLASSES.find(([, , pattern]) => host !== undefined && pattern.test(host))
    if (found === undefined || host === undefined) return []
    return [point(found[0], `service ${host}`, found[1] * (region === 'footer' ? 0.4 : 0.7), page, host)]
  })
}

/** An action of the footer is often about something else than the site. */
function actionPoints(actions: readonly Action[]): Point[] {
  const byIntent = Map.groupBy(actions, ({ intent }) => intent)
  return [...byIntent].flatMap(([intent, found]) => {
    const best = found.toSorted((a, b) => weightOf(b) - weightOf(a))[0] as Action
    const isMany = intent === 'read' && found.length > 2
    const isStructure = found.some(({ kind, certainty }) => kind === 'form' || certainty === 1)
    return Object.entries(CLASS_INTENTS[intent] ?? {}).map(([site_class, points]) => ({
      ...point(
        site_class as SiteClass,
        `action ${intent}`,
        points * weightOf(best) * (intent === 'read' && !isMany ? 0.5 : 1),
        best.page,
        best.words || best.selector,
      ),
      isStructure: isStructure && intent !== 'contact' && intent !== 'message',
    }))
  })
}

function weightOf({ certainty, region }: Action): number {
  return certainty * (region === 'footer' ? 0.5 : 1)
}

function wordPoints(pages: readonly PageReading[]): Point[] {
  const found = new Map<string, Point>()
  const add = (text: string, points: number, page: string, language: string | null) => {
    for (const { index, code } of WORDS) {
      if (code !== 'en' && code !== language) continue
      for (const { value, phrase } of index.find(text)) {
        const key = `${value} ${phrase}`
        if ((found.get(key)?.points ?? 0) < points)
          found.set(key, point(value, `word ${phrase}`, points, page, phrase))
      }
    }
  }
  for (const { finding, headings, navigation, sample } of pages) {
    const { path, language, title, h1, description } = finding
    // A site says what it is where it names itself: "County Clerk", "Stadtbibliothek".
    if (finding === pages[0]?.finding) for (const name of [title, h1]) add(name, NAME_POINTS, path, language)
    const labels = [title, description, ...headings.map(({ text }) => text), ...navigation]
    for (const label of labels) add(label, LABEL_POINTS, path, language)
    for (const line of sample.split('\n').slice(0, 1_000)) add(line, TEXT_POINTS, path, language)
  }
  // Words repeat themselves on the pages of a site, so all of a class together have a bound.
  return [...Map.groupBy(found.values(), ({ site_class }) => site_class).values()].flatMap(own => {
    const sum = own.reduce((total, { points }) => total + points, 0)
    const factor = Math.min(1, MAX_WORD_POINTS / sum)
    return own.map(each => ({ ...each, points: each.points * factor }))
  })
}

function point(site_class: SiteClass, source: string, points: number, page: string, quote: string): Point {
  return { site_class, source, points, evidence: { page, quote } }
}
