import type { Action, Intent, SiteFindings } from '#core/scans/read/findings'
import type { SiteClass } from '#schemas/website-scans'
import { ACTION_EVENTS } from './action-events.ts'
import type { EventTemplate } from './event-template.ts'
import { OUTCOME_EVENTS } from './outcome-events.ts'

/** An event that the site could have, and how much it tells there. */
export type Candidate = {
  template: EventTemplate
  event: string
  /** The elements that send it, the most prominent first. Empty: none does. */
  actions: Action[]
  score: number
}

/** Events of an outcome follow those of the action that begins it. */
const BEGINS: Readonly<Record<string, readonly Intent[]>> = {
  signup_completed: ['sign_up'],
  first_success_reached: ['sign_up'],
  question_solved: ['post', 'reply'],
  payment_failed: ['add_to_cart', 'checkout', 'buy'],
  order_completed: ['add_to_cart', 'checkout', 'buy'],
  listing_published: ['sell'],
  search_without_result: ['search'],
  booking_confirmed: ['book'],
  enquiry_received: ['contact'],
  member_welcomed: ['post', 'reply'],
  form_problem_shown: ['sign_up', 'contact', 'checkout', 'book', 'quote'],
}

const KIND_WEIGHT = { form: 1.15, button: 1.1, link: 1 } as const
const REGION_WEIGHT = {
  main: 1.1,
  body: 1.05,
  header: 1.1,
  nav: 1,
  dialog: 0.9,
  aside: 0.9,
  footer: 0.6,
} as const
/** Extensions that the tracker counts as downloads by itself (docs/tracker.md). */
const COUNTED_DOWNLOAD =
  /\.(pdf|xlsx?|docx?|txt|rtf|csv|exe|key|pps|pptx?|7z|pkg|rar|gz|zip|avi|mov|mp[34]|mpeg|wmv|midi|wav|wma|dmg|iso|msi)$/i

/** All events that the site could have: those of the focus, then the most telling ones. */
export function candidatesOf(findings: SiteFindings, focus: Intent | null): Candidate[] {
  const { site_class } = findings.classification
  const worthAnEvent = oncePerAct(findings.actions.filter(isWorthAnEvent))
  const byIntent = Map.groupBy(worthAnEvent, ({ intent }) => intent)
  const byTemplate = Map.groupBy(worthAnEvent, action =>
    ACTION_EVENTS.find(({ intent, fits }) => intent === action.intent && (fits?.(action, findings) ?? true)),
  )
  const ofActions = ACTION_EVENTS.flatMap((template): Candidate[] => {
    const actions = (byTemplate.get(template) ?? []).toSorted((a, b) => prominence(b) - prominence(a))
    const best = actions[0]
    if (best === undefined) return []
    const score = worthOf(template, site_class) * prominence(best)
    return [{ template, event: nameOf(template, actions, site_class), actions, score }]
  })
  const ofOutcomes = OUTCOME_EVENTS.map((template): Candidate => {
    const begins = BEGINS[template.event]
    const isBegun = begins === undefined || begins.some(intent => byIntent.has(intent))
    // An outcome whose beginning is not to be seen is hardly one of this site.
    const factor = (isBegun ? 1 : 0.2) * (begins?.includes(focus as Intent) ? 2 : 1)
    return { template, event: template.event, actions: [], score: worthOf(template, site_class) * factor }
  })
  const isFocus = ({ template }: Candidate) => Number(focus !== null && template.intent === focus)
  return [...ofActions, ...ofOutcomes]
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => isFocus(b) - isFocus(a) || b.score - a.score)
}

/**
 * Leaves out elements that would count one act twice: links that lead to a form of the same intent, whose
 * page view the tracker sends anyway. A sign-up is begun by the link, and its form ends it: there the form is
 * left out, because the server says which sign-ups have succeeded.
 */
function oncePerAct(actions: readonly Action[]): Action[] {
  const pathOf = (target: string | null) => target?.split(/[?#]/)[0]
  const ofIntent = Map.groupBy(actions, ({ intent }) => intent)
  return actions.filter(({ kind, intent, page, target }) => {
    const others = ofIntent.get(intent) ?? []
    if (kind === 'form')
      return (
        intent !== 'sign_up' || !others.some(other => other.kind !== 'form' && pathOf(other.target) === page)
      )
    return (
      intent === 'sign_up' || !others.some(other => other.kind === 'form' && other.page === pathOf(target))
    )
  })
}

/** What the tracker counts by itself needs no event: a file, and a text that is opened. */
function isWorthAnEvent({ intent, target, certainty }: Action): boolean {
  return certainty >= 0.45 && !(intent === 'download' && COUNTED_DOWNLOAD.test(target ?? ''))
}

export function isCountedDownload({ intent, target }: Action): boolean {
  return intent === 'download' && COUNTED_DOWNLOAD.test(target ?? '')
}

function prominence({ certainty, kind, region, pages }: Action): number {
  return certainty * KIND_WEIGHT[kind] * REGION_WEIGHT[region] * (1 + Math.min(pages, 5) / 50)
}

function worthOf({ worth }: EventTemplate, site_class: SiteClass): number {
  return worth[site_class] ?? worth.any ?? 0
}

const TRIAL =
  /\btrial\b|probe|essai|testen|prueba|prova\b|proef|próbn|trial|teste grátis|prova gratuita|無料トライアル|deneme/i
const TABLE = /\b(table|tisch|table|mesa|tavolo|tafel|stolik|bord|masa)\b|席/i
const TICKET = /ticket|billet|entrada|bigliett|bilhete|kaart|bilet|biljett|karten/i

/** The site's own word for the same act, from a fixed list: a name must stay the same for years. */
function nameOf({ event, intent }: EventTemplate, actions: readonly Action[], site_class: SiteClass): string {
  const has = (pattern: RegExp) => actions.some(({ words }) => pattern.test(words))
  if (intent === 'sign_up' && has(TRIAL)) return 'trial_started'
  if (intent === 'sign_up' && site_class === 'community') return 'membership_started'
  if (intent === 'book' && has(TABLE)) return 'table_booking_started'
  if (intent === 'buy' && has(TICKET)) return 'ticket_purchase_started'
  return event
}
