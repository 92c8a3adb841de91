import { quoted } from '#core/text/clean-text'
import type { SiteFindings } from '#scanner/read/findings'
import { intentOfAnyWords } from '#scanner/read/intents'
import { RECOMMENDED_EVENTS, type ScanDepth, type ScanResult } from '#schemas/website-scans'
import { candidatesOf } from './candidates.ts'
import { testsOf } from './experiments.ts'
import { claimsOf, framingOf, questionOf } from './framing.ts'
import { funnelsOf } from './funnels.ts'
import { advancedTrackingLater, businessEventsLater } from './later.ts'
import { notNeededYet } from './not-needed.ts'
import { projectNameOf } from './project-name.ts'
import { recommend } from './recommend.ts'
import { bareWords } from './words-of-page.ts'

export type AdviceOptions = {
  mode: ScanDepth
  /** What the owner says is the goal, in any of the known languages. */
  focus?: string | null
  /** Name of the project that the example calls are about. */
  project?: string | null
}

/** An event below this part of the best one is left for later, as long as enough others are there. */
const WORTHWHILE = 0.2
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
  const candidates = candidatesOf(
    findings,
    focus === null ? null : { intent: goal?.intent ?? null, words: focus },
  )
  const { min, max } = RECOMMENDED_EVENTS[mode]
  const best = Math.max(0, ...candidates.map(({ score }) => score))
  const worthwhile = candidates.filter(({ score }) => score >= WORTHWHILE * best).length
  const count = Math.min(max, Math.max(min, worthwhile))
  const chosen = candidates.slice(0, count).map((candidate, i) => ({
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
      notes: [...findings.notes, ...noteOfFocus(findings, focus, goal?.intent ?? null)],
    },
    normalized_url: findings.url,
    hostname: findings.hostname,
    current_blindspots: blindspotsOf(findings, recommended),
    minimum_viable_instrumentation: recommended,
    not_needed_yet: notNeededYet(findings, candidates.slice(count)),
    goal_driven_funnels: funnelsOf(recommended, findings),
    after_install_agent_behavior: behaviorOf(findings, recommended),
    business_events_later: businessEventsLater(findings),
    advanced_tracking_later: advancedTrackingLater(findings),
    suggested_ab_tests: testsOf(chosen, findings),
    analytics_detected: { providers: findings.providers, has_tracker: findings.has_tracker },
  }
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
