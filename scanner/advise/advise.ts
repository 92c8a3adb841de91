import { quoted } from '#core/text/clean-text'
import type { SiteFindings } from '#scanner/read/findings'
import { intentOfAnyWords } from '#scanner/read/intents'
import type { ScanDepth, ScanResult } from '#schemas/website-scans'
import { chooseEvents } from './choose-events.ts'
import { testsOf } from './experiments.ts'
import { CLASS_WORDS, claimsOf, framingOf, questionOf } from './framing.ts'
import { funnelsOf } from './funnels.ts'
import { advancedTrackingLater, businessEventsLater } from './later.ts'
import { notNeededYet } from './not-needed.ts'
import { projectNameOf } from './project-name.ts'
import { recommend } from './recommend.ts'
import { bareWords, pageWords } from './words-of-page.ts'

export type AdviceOptions = {
  mode: ScanDepth
  /** What the owner says is the goal, in any of the known languages. */
  focus?: string | null
  /** Name of the project that the example calls are about. */
  project?: string | null
}

/** Blind spots of the site beside those of the recommended events. */
const MAX_BLINDSPOTS = 8

/**
 * Makes the plan of events from what the reader has found. It is deterministic: rules and tables choose, and
 * templates carry the words of the site. Its size is that of the mode, whatever the site is.
 */
export function advise(
  findings: SiteFindings,
  { mode, focus = null, project = null }: AdviceOptions,
): ScanResult {
  const goal = focus === null ? null : intentOfAnyWords(focus)
  const events = chooseEvents(
    findings,
    mode,
    focus === null ? null : { intent: goal?.intent ?? null, words: focus },
  )
  const candidates = [...events.chosen, ...events.left]
  const chosen = events.chosen.map((candidate, i) => ({
    candidate,
    recommendation: recommend(candidate, i + 1, findings, project ?? projectNameOf(findings.hostname)),
  }))
  const recommended = chosen.map(({ recommendation }) => recommendation)
  const claims = claimsOf(findings, candidates)
  return {
    framing: framingOf(findings, claims),
    understanding: {
      site_class: findings.classification.site_class,
      confidence: findings.classification.confidence,
      claims,
      question: goal === null && !isElement(findings, focus) ? questionOf(findings, candidates) : null,
      languages: findings.languages,
      framework: findings.framework?.name ?? null,
      pages_read: findings.pages.map(({ path }) => bareWords(path, 120)),
      notes: [
        ...findings.notes,
        ...noteOfClass(findings),
        ...noteOfFocus(findings, focus, goal?.intent ?? null),
      ],
    },
    normalized_url: findings.url,
    hostname: findings.hostname,
    current_blindspots: blindspotsOf(findings, recommended),
    minimum_viable_instrumentation: recommended,
    not_needed_yet: notNeededYet(findings, events.left),
    goal_driven_funnels: funnelsOf(recommended, findings),
    after_install_agent_behavior: behaviorOf(findings, recommended),
    business_events_later: businessEventsLater(findings),
    advanced_tracking_later: advancedTrackingLater(findings),
    suggested_ab_tests: testsOf(chosen, findings),
    analytics_detected: { providers: findings.providers, has_tracker: findings.has_tracker },
  }
}

/** Says so if the first page alone, which a preview reads, looks like another kind of site. */
function noteOfClass({ first, pages, classification }: SiteFindings): string[] {
  const before = first?.classification.site_class ?? classification.site_class
  if (before === classification.site_class) return []
  const alone = pageWords(first?.pages[0]?.path ?? '/', 80)
  return [
    `${alone} alone looks like ${CLASS_WORDS[before]}; the ${pages.length} pages that were read look like ${CLASS_WORDS[classification.site_class]}.`,
  ]
}

/** Whether the focus is what an element of the site says, in whatever words. */
function isElement({ actions }: Pick<SiteFindings, 'actions'>, focus: string | null): boolean {
  return focus !== null && actions.some(({ words }) => words.toLowerCase() === focus.trim().toLowerCase())
}

function noteOfFocus(
  { hostname, actions }: SiteFindings,
  focus: string | null,
  intent: string | null,
): string[] {
  if (focus === null || isElement({ actions }, focus)) return []
  if (intent === null) {
    return [
      `The focus ${quoted(focus)} names no action that the analysis knows. Send words such as a button has, like "book a table".`,
    ]
  }
  if (actions.some(each => each.intent === intent)) return []
  return [`No element of ${hostname} for the focus ${quoted(focus)} was found on the pages that were read.`]
}

function blindspotsOf(
  findings: SiteFindings,
  recommended: ScanResult['minimum_viable_instrumentation'],
): string[] {
  const { hostname, providers, has_tracker } = findings
  const counters = providers.filter(({ kind }) => /analytics/.test(kind)).map(({ name }) => name)
  const site = has_tracker
    ? []
    : counters.length === 0
      ? [
          `No analytics was found on the pages of ${hostname} that were read, so nothing shows what its visitors do.`,
        ]
      : [
          `${counters.slice(0, 3).join(', ')} is on the pages of ${hostname}. The pages do not show whether it counts any of the events below.`,
        ]
  return [...site, ...recommended.map(({ current_blindspot }) => current_blindspot)].slice(0, MAX_BLINDSPOTS)
}

function behaviorOf(
  { hostname }: SiteFindings,
  recommended: ScanResult['minimum_viable_instrumentation'],
): string[] {
  const [first, second] = recommended
  const event = first?.event ?? 'page_view'
  return [
    `One day after the events of ${hostname} are online: call POST /website-scans/{id}/verify, and correct what it names.`,
    `Each week: compare ${event} on ${hostname} with the week before (POST /query with compare=previous), and name the page and the source that changed most.`,
    `If ${event} falls by more than a third from one week to the next: compare devices and browsers first, because something on ${hostname} may be broken on one of them.`,
    `Before a page of ${hostname} with ${event}${second === undefined ? '' : ` or ${second.event}`} changes: add an annotation by PUT /project-context, so that later readers know the reason.`,
    `If these events of ${hostname} cannot answer a question: read not_needed_yet of this result before you add an event.`,
  ]
}
