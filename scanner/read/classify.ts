import type { Evidence, SiteClass } from '#schemas/website-scans'
import { CLASS_INTENTS, PLATFORMS, SCHEMA_TYPES } from './class-signs.ts'
import type { Action, Classification } from './findings.ts'
import { createPhraseIndex } from './phrase-index.ts'
import type { PageReading } from './read-page.ts'
import { LANGUAGES } from './words/languages.ts'

/** Less evidence names no class. */
const MIN_SCORE = 3
/** Points of a word in a heading or in the navigation, and in the text, and the most of all words. */
const [LABEL_POINTS, TEXT_POINTS, MAX_WORD_POINTS] = [0.8, 0.35, 5]
/** A type of schema.org counts so often at most; the second time it says less. */
const MAX_TYPE_COUNT = 2
/** Evidence of one class that the result shows. */
const MAX_EVIDENCE = 5
/** With so many points the class is as good as sure. */
const HALF_SURE = 4

type Point = { site_class: SiteClass; points: number; evidence: Evidence }

const WORDS = Object.entries(LANGUAGES).map(([code, { classes, isUnspaced = false }]) => ({
  code,
  index: createPhraseIndex(Object.entries(classes) as [SiteClass, string][], { isUnspaced }),
}))

/**
 * Which kind of site this is: each sign gives points to a class, and the class with the most points wins. The
 * confidence grows with its points and with its lead.
 */
export function classify(pages: readonly PageReading[], actions: readonly Action[]): Classification {
  const points = [...pages.flatMap(pointsOfPage), ...actionPoints(actions), ...wordPoints(pages)]
  const byClass = Map.groupBy(points, ({ site_class }) => site_class)
  const ranked = [...byClass]
    .map(([site_class, own]) => ({ site_class, score: own.reduce((sum, each) => sum + each.points, 0) }))
    .toSorted((a, b) => b.score - a.score || (a.site_class < b.site_class ? -1 : 1))
  const [first, second] = ranked
  if (first === undefined || first.score < MIN_SCORE) {
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

function pointsOfPage({ finding, items, framework, counts, openGraphType, headings }: PageReading): Point[] {
  const page = finding.path
  const platform = PLATFORMS[framework?.name ?? '']
  const types = Map.groupBy(items, ({ type }) => type)
  const article = openGraphType === 'article' || counts.articles >= 3
  const isTool = counts.canvas > 0 || (counts.inputs >= 3 && counts.inputs > headings.length * 2)
  return [
    ...[...types].flatMap(([type, found]) => {
      const sign = SCHEMA_TYPES.find(([, , pattern]) => pattern.test(type))
      if (sign === undefined) return []
      const count = Math.min(found.length, MAX_TYPE_COUNT)
      return [point(sign[0], sign[1] * (1 + (count - 1) / 4), page, `schema.org ${type}`)]
    }),
    ...(platform === undefined ? [] : [point(platform, 4, page, framework?.evidence ?? '')]),
    ...(counts.code >= 3 ? [point('docs', 2, page, `${counts.code} blocks of code`)] : []),
    ...(article
      ? [
          point(
            'content',
            1.5,
            page,
            openGraphType === 'article' ? 'og:type article' : `${counts.articles} articles`,
          ),
        ]
      : []),
    ...(openGraphType === 'product' ? [point('shop', 2, page, 'og:type product')] : []),
    ...(openGraphType === 'profile' ? [point('portfolio', 1.5, page, 'og:type profile')] : []),
    ...(isTool ? [point('app', 1.5, page, counts.canvas > 0 ? 'a canvas' : `${counts.inputs} inputs`)] : []),
  ]
}

/** An action of the footer is often about something else than the site. */
function actionPoints(actions: readonly Action[]): Point[] {
  const byIntent = Map.groupBy(actions, ({ intent }) => intent)
  return [...byIntent].flatMap(([intent, found]) => {
    const best = found.toSorted((a, b) => weightOf(b) - weightOf(a))[0] as Action
    const repeats = intent === 'read' || intent === 'add_to_cart' ? Math.min(found.length, 4) / 2 : 1
    return Object.entries(CLASS_INTENTS[intent] ?? {}).map(([site_class, points]) =>
      point(
        site_class as SiteClass,
        points * weightOf(best) * Math.max(repeats, 0.5),
        best.page,
        best.words || best.selector,
      ),
    )
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
        if ((found.get(key)?.points ?? 0) < points) found.set(key, point(value, points, page, phrase))
      }
    }
  }
  for (const { finding, headings, navigation, sample } of pages) {
    const { path, language, title, description } = finding
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

function point(site_class: SiteClass, points: number, page: string, quote: string): Point {
  return { site_class, points, evidence: { page, quote } }
}
