import { quoted } from '#core/text/clean-text'
import { bareWords } from '#scanner/advise/words-of-page'
import { MAX_LIST, type SiteFindings } from '#scanner/read/findings'
import type { ScanResult } from '#schemas/website-scans'
import type { StoredResult } from './scan-store.ts'

type Found = Pick<SiteFindings, 'pages' | 'actions'>

/** Changes that are named one by one; the rest is counted. */
const MAX_NAMED = 10

/**
 * Says what differs between two results of a site, each in a sentence: what the site says of itself and uses,
 * and what the plan asks for. Null: nothing differs. Pages that could not be read this time are no change.
 */
export function compareResults(
  { result: before }: Pick<StoredResult, 'result'>,
  { result: after }: Pick<StoredResult, 'result'>,
  findings: Found,
): { site: string[]; plan: string[] } | null {
  const site = [
    ...valueChange('The kind of site', classOf(before), classOf(after)),
    ...valueChange('What the site is about', before.framing, after.framing),
    ...listChanges('The site', 'uses', toolsOf(before), toolsOf(after)),
    ...listChanges('The site', 'has pages in', languagesOf(before), languagesOf(after)),
    ...goneElements(before, findings),
  ]
  const plan = [
    ...listChanges('The plan', 'asks for the event', eventsOf(before), eventsOf(after)),
    ...listChanges('The plan', 'proposes the funnel', funnelsOf(before), funnelsOf(after)),
    ...listChanges('The plan', 'proposes the test', testsOf(before), testsOf(after)),
    ...movedEvents(before, after),
  ]
  return site.length + plan.length === 0 ? null : { site, plan }
}

function valueChange(what: string, before: string | undefined, after: string | undefined): string[] {
  if (before === after || after === undefined) return []
  return [`${what} is now “${after}”; it was “${before ?? 'unknown'}”.`]
}

function listChanges(
  who: string,
  does: string,
  before: readonly string[],
  after: readonly string[],
): string[] {
  return [
    ...named(
      after.filter(name => !before.includes(name)),
      name => `${who} now ${does} ${name}.`,
    ),
    ...named(
      before.filter(name => !after.includes(name)),
      name => `${who} no longer ${does} ${name}.`,
    ),
  ]
}

function named(names: readonly string[], sentence: (name: string) => string): string[] {
  const rest = names.length - MAX_NAMED
  return [...names.slice(0, MAX_NAMED).map(sentence), ...(rest > 0 ? [`And ${rest} more.`] : [])]
}

/**
 * Elements of the plan before that the site has no more: their page was read again, and no element of any
 * page has their selector or their words.
 */
function goneElements({ minimum_viable_instrumentation }: ScanResult, { pages, actions }: Found): string[] {
  // Elements beyond the bound of the findings are unknown, not gone.
  if (actions.length >= MAX_LIST) return []
  const read = new Set(pages.filter(({ status }) => status < 400).map(({ path }) => path))
  const selectors = new Set(actions.map(({ selector }) => selector))
  const said = new Set(actions.map(({ words }) => bareWords(words)))
  const gone = minimum_viable_instrumentation.filter(({ placement }) => {
    const { page = null, selector = null, words = null } = placement ?? {}
    const isThere = selector !== null && (selectors.has(selector) || (words !== null && said.has(words)))
    return page !== null && selector !== null && read.has(page) && !isThere
  })
  const byEvent = new Map(gone.map(({ event, placement }) => [event, placement]))
  return named([...byEvent.keys()], event => {
    const { page, words, selector } = byEvent.get(event) ?? {}
    return `The element of the event ${event}, ${quoted(words ?? selector)} on ${quoted(page)}, is no longer on the site.`
  })
}

/** Events of both plans whose element has moved, or has other words on it. */
function movedEvents(before: ScanResult, after: ScanResult): string[] {
  const old = new Map(before.minimum_viable_instrumentation.map(item => [item.event, item.placement]))
  return named(
    after.minimum_viable_instrumentation.flatMap(({ event, placement }) => {
      const was = old.get(event)
      const isSame =
        was === undefined || (was.page === placement?.page && was.selector === placement.selector)
      return isSame ? [] : [event]
    }),
    event => `The element of the event ${event} is at another place.`,
  )
}

const classOf = ({ understanding }: ScanResult) => understanding?.site_class
const languagesOf = ({ understanding }: ScanResult) => understanding?.languages ?? []
const toolsOf = ({ analytics_detected }: ScanResult) =>
  (analytics_detected?.providers ?? []).map(({ name }) => name)
const eventsOf = ({ minimum_viable_instrumentation }: ScanResult) =>
  minimum_viable_instrumentation.map(({ event }) => event)
const funnelsOf = ({ goal_driven_funnels }: ScanResult) => (goal_driven_funnels ?? []).map(({ name }) => name)
const testsOf = ({ suggested_ab_tests }: ScanResult) => (suggested_ab_tests ?? []).map(({ name }) => name)
