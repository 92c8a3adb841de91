import { advise } from '#scanner/advise/advise'
import type { SiteFindings } from '#scanner/read/findings'
import { readSite } from '#scanner/read/read-site'
import type { Recommendation, ScanResult } from '#schemas/website-scans'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import type { SketchedSite } from './sketch-site.ts'

/** The element that a site is for stands among so many events at the top of its plan. */
const TOP = 2
/** Items that say nothing about the site that they are for. */
const PLACEHOLDERS = /^(goal_reached|main_choice_made|return_promised)$/

export type Judgement = {
  name: string
  /** What its owner would not accept, in words. Empty: the plan is accepted. */
  faults: string[]
  isClassRight: boolean
  isMainFound: boolean
  items: number
  /** Items that name an element, a state of a page, or an address of the server. */
  namedItems: number
  sentences: string[]
}

export type Rates = {
  sites: number
  classRight: number
  mainFound: number
  namedItems: number
  /** Of the different sentences, without host and quotes: those that more than one site gets. */
  sharedSentences: number
  accepted: number
}

/** Judges the full plan of a site by what its owner has wished. */
export function judgeSketch(site: SketchedSite): Judgement {
  const { wishes } = site
  const findings = readSite(fetchedPages({ ...site, expect: { class: 'unknown' } }))
  const result = advise(findings, { mode: 'full' })
  const items = result.minimum_viable_instrumentation
  const kind = findings.classification.site_class
  const isClassRight = [wishes.kind].flat().includes(kind)
  const mains = [wishes.main].flat().map(each => each.toLowerCase())
  const isMainFound = items
    .slice(0, TOP)
    .some(item => mains.some(words => textOf(item).toLowerCase().includes(words)))
  const named = items.filter(item => namesSomething(item, findings))
  return {
    name: site.name,
    isClassRight,
    isMainFound,
    items: items.length,
    namedItems: named.length,
    sentences: sentencesOf(result),
    faults: [
      ...(isClassRight ? [] : [`kind ${kind}`]),
      ...(isMainFound ? [] : [`main element not on top: ${items.slice(0, TOP).map(textOf).join(' | ')}`]),
      ...(wishes.wants ?? [])
        .filter(want => !items.some(item => want.test(textOf(item))))
        .map(want => `nothing for ${want}`),
      ...items
        .filter(({ event }) => wishes.never?.test(event) || PLACEHOLDERS.test(event))
        .map(({ event }) => `not wanted: ${event}`),
      ...items.filter(item => !named.includes(item)).map(({ event }) => `names nothing: ${event}`),
      ...(findings.languages[0] === wishes.language ? [] : [`language ${findings.languages[0]}`]),
      ...(wishes.name === undefined || findings.name?.quote === wishes.name
        ? []
        : [`name ${findings.name?.quote}`]),
      ...(wishes.price === null && findings.prices.length > 0 ? [`price ${findings.prices[0]?.amount}`] : []),
    ],
  }
}

export function ratesOf(judgements: readonly Judgement[]): Rates {
  const share = (holds: (each: Judgement) => boolean) => judgements.filter(holds).length / judgements.length
  const items = judgements.reduce((sum, each) => sum + each.items, 0)
  const sentences = Map.groupBy(
    judgements.flatMap(each => [...new Set(each.sentences)]),
    text => text,
  )
  return {
    sites: judgements.length,
    classRight: share(({ isClassRight }) => isClassRight),
    mainFound: share(({ isMainFound }) => isMainFound),
    namedItems: judgements.reduce((sum, each) => sum + each.namedItems, 0) / items,
    sharedSentences: [...sentences.values()].filter(({ length }) => length > 1).length / sentences.size,
    accepted: share(({ faults }) => faults.length === 0),
  }
}

function textOf({ event, placement }: Recommendation): string {
  return [event, placement.words, placement.selector, placement.page].filter(Boolean).join(' ')
}

/** It has a selector, or its hint quotes a page, an element or an address of the site. */
function namesSomething({ placement, implementation_hint }: Recommendation, findings: SiteFindings): boolean {
  if (placement.selector !== null) return true
  const quotes = [...implementation_hint.matchAll(/"([^"]+)"/g)].map(match => match[1] ?? '')
  const known = [
    ...findings.pages.map(({ path }) => path),
    ...findings.actions.flatMap(({ words, selector, target }) => [words, selector, target ?? '']),
    ...findings.headings.map(({ quote }) => quote),
  ].filter(text => text !== '')
  return quotes.some(
    quote =>
      quote.startsWith('/') ||
      known.some(
        text =>
          quote === text || quote === `${findings.hostname}${text}` || quote.startsWith(text.slice(0, 50)),
      ),
  )
}

/** The sentences of a plan without what is the site's own: its host and its quotes. */
function sentencesOf(result: ScanResult): string[] {
  return result.minimum_viable_instrumentation
    .flatMap(each => [each.why_this_matters_now, each.current_blindspot, each.agent_capability_after_install])
    .map(text => text.replaceAll(result.hostname, 'HOST'))
}
