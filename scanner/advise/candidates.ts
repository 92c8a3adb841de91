import type { Action, Intent, SiteFindings } from '#scanner/read/findings'
import { wordsOf } from '#scanner/read/words'
import type { SiteClass } from '#schemas/website-scans'
import { ACTION_EVENTS } from './action-events.ts'
import type { Begins, EventTemplate } from './event-template.ts'
import { OUTCOME_EVENTS } from './outcome-events.ts'
import { hasHeading } from './places-of-site.ts'

/** An event that the site could have, and how much it tells there. */
export type Candidate = {
  template: EventTemplate
  event: string
  /** One such event, and many, in questions. */
  noun: readonly [one: string, many: string]
  /** What a visitor does, after `visitors can`. */
  act: string | null
  /** The elements that send it, the most prominent first. Empty: none does. */
  actions: Action[]
  /** The element that an outcome follows. Null: no page that was read has it, or the event is no outcome. */
  begin: Action | null
  score: number
}

const KIND_WEIGHT = { form: 1.15, button: 1.1, player: 1.1, link: 1, frame: 1 } as const
/** A primary button is what its page is for. */
const PRIMARY_WEIGHT = 1.15
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

/** What the owner has named: an intent, or the words of an element. */
export type Focus = { intent: Intent | null; words: string }

/**
 * All events that the site could have: those of the focus, then the most telling ones. `named`: events whose
 * names are given, because a preview has shown them.
 */
export function candidatesOf(
  findings: SiteFindings,
  focus: Focus | null,
  named: readonly Candidate[] = [],
): Candidate[] {
  const { site_class } = findings.classification
  const worthAnEvent = oncePerAct(findings.actions.filter(action => isWorthAnEvent(action)))
  const byTemplate = Map.groupBy(worthAnEvent, action =>
    ACTION_EVENTS.find(({ intent, fits }) => intent === action.intent && (fits?.(action, findings) ?? true)),
  )
  const ofActions = withOwnNames(
    ACTION_EVENTS.flatMap((template): Candidate[] => {
      const all = byTemplate.get(template) ?? []
      const groups = template.intent === 'other' ? byOwnWords(all) : [all]
      return groups.flatMap((own): Candidate[] => {
        const actions = own.toSorted((a, b) => rankOf(b, own) - rankOf(a, own))
        const best = actions[0]
        if (best === undefined) return []
        const score = worthOf(template, site_class) * prominence(best)
        return [{ template, ...namesOf(template, actions, site_class), actions, begin: null, score }]
      })
    }),
    named,
  )
  const known = new Set(ofActions.map(({ event }) => event))
  const ofOutcomes = OUTCOME_EVENTS.filter(
    ({ event, where }) => !known.has(event) && (hasHeading(findings) || !where.text.includes('{heading}')),
  ).flatMap((template): Candidate[] => {
    const { begins, event, noun } = template
    const all = begins?.kind === 'form' ? findings.actions : worthAnEvent
    const begin = begins === undefined ? null : beginOf(begins, template.where.method, all)
    // An outcome of something that no page shows is hardly one of this site.
    if (begins !== undefined && begin === null) return []
    const factor = focus !== null && begins?.intents.includes(focus.intent as Intent) ? 2 : 1
    const score = worthOf(template, site_class) * factor
    return [{ template, event, noun, act: null, actions: [], begin, score }]
  })
  const isFocus = ({ template, actions }: Candidate) =>
    Number(
      focus !== null &&
        actions.length > 0 &&
        (template.intent === focus.intent || actions.some(({ words }) => isSameWords(words, focus.words))),
    )
  return [...ofActions, ...ofOutcomes]
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => isFocus(b) - isFocus(a) || b.score - a.score)
}

/** Elements with words of their own, each text for itself. */
function byOwnWords(actions: readonly Action[]): Action[][] {
  return [...Map.groupBy(actions, ({ words }) => words.toLowerCase()).values()]
}

function isSameWords(a: string, b: string): boolean {
  return wordsOf(a).join(' ') === wordsOf(b).join(' ')
}

/**
 * Names of events of elements that only their own words name. The words are a stranger's, so they stay within
 * quotes and are no part of a name that reports and hand-offs write as it is.
 */
const OWN_EVENTS = [
  'main_button_chosen',
  'second_button_chosen',
  'third_button_chosen',
  'fourth_button_chosen',
]

/**
 * Gives each element a name of its own: the one that it has already, or the next one that is left, the
 * element with the highest score first.
 */
function withOwnNames(candidates: readonly Candidate[], named: readonly Candidate[]): Candidate[] {
  const known = new Map(
    candidates.map(candidate => [candidate, named.find(other => isSameEvent(candidate, other))]),
  )
  const taken = new Set([...known.values()].map(other => other?.event))
  const left = OWN_EVENTS.filter(name => !taken.has(name))
  const own = candidates
    .filter(candidate => candidate.template.intent === 'other' && known.get(candidate) === undefined)
    .toSorted((a, b) => b.score - a.score)
  return candidates.flatMap(candidate => {
    const other = known.get(candidate)
    if (other !== undefined) return [{ ...candidate, event: other.event, noun: other.noun, act: other.act }]
    const event = candidate.template.intent === 'other' ? left[own.indexOf(candidate)] : candidate.event
    return event === undefined ? [] : [{ ...candidate, event }]
  })
}

/** Whether two events are of the same elements, or of the same outcome. */
export function isSameEvent(a: Candidate, b: Candidate): boolean {
  if (a.template !== b.template) return false
  return a.template.intent !== 'other' || isSameWords(a.actions[0]?.words ?? '', b.actions[0]?.words ?? '')
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

/** What the tracker counts by itself needs no event: a file, a text that is opened, a page of directions. */
function isWorthAnEvent(action: Action): boolean {
  return action.certainty >= 0.45 && !isCountedDownload(action) && !isPageOfDirections(action)
}

/** A link to a page of the site itself. A link to a map leads away, so it has no page view. */
export function isPageOfDirections({ intent, kind, target, isExternal }: Action): boolean {
  return intent === 'directions' && kind === 'link' && target !== null && !isExternal
}

/**
 * The most prominent element that an outcome follows. A link that opens a mail program is no beginning for a
 * server: no server sees the mail.
 */
function beginOf(
  { intents, kind }: Begins,
  method: 'call' | 'server',
  actions: readonly Action[],
): Action | null {
  const own = actions.filter(
    action =>
      intents.includes(action.intent) &&
      action.certainty >= 0.45 &&
      (kind === undefined || action.kind === kind) &&
      !(method === 'server' && action.kind === 'link' && action.target === null),
  )
  return own.toSorted((a, b) => prominence(b) - prominence(a))[0] ?? null
}

export function isCountedDownload({ intent, target }: Action): boolean {
  return intent === 'download' && COUNTED_DOWNLOAD.test(target ?? '')
}

function prominence({ certainty, kind, region, pages, isPrimary }: Action): number {
  const primary = isPrimary && kind !== 'form' ? PRIMARY_WEIGHT : 1
  return primary * certainty * KIND_WEIGHT[kind] * REGION_WEIGHT[region] * (1 + Math.min(pages, 5) / 50)
}

/** Of equal elements the one that is alone on its page goes first: the page of one product, not the list. */
function rankOf(action: Action, all: readonly Action[]): number {
  const isAlone = all.filter(({ page }) => page === action.page).length === 1
  return prominence(action) * (isAlone ? 1.02 : 1)
}

function worthOf({ worth }: EventTemplate, site_class: SiteClass): number {
  return worth[site_class] ?? worth.any ?? 0
}

const TRIAL =
  /\btrial\b|probe|essai|testen|prueba|prova\b|proef|próbn|trial|teste grátis|prova gratuita|無料トライアル|deneme/i
const TABLE = /\b(table|tisch|table|mesa|tavolo|tafel|stolik|bord|masa)\b|席/i
const TICKET = /ticket|billet|entrada|bigliett|bilhete|kaart|bilet|biljett|karten/i

type Names = Pick<Candidate, 'event' | 'noun' | 'act'>

/** The site's own word for the same act, from a fixed list: a name must stay the same for years. */
function namesOf(
  { event, intent, noun, act }: EventTemplate,
  actions: readonly Action[],
  site_class: SiteClass,
): Names {
  const has = (pattern: RegExp) => actions.some(({ words }) => pattern.test(words))
  if (event === 'signup_started' && has(TRIAL)) {
    return { event: 'trial_started', noun: ['trial', 'trials'], act: 'start a trial' }
  }
  if (event === 'signup_started' && site_class === 'community') {
    return { event: 'membership_started', noun: ['new member', 'new members'], act: 'become a member' }
  }
  if (event === 'signup_started' && site_class === 'event') {
    return { event: 'registration_started', noun: ['registration', 'registrations'], act: 'register' }
  }
  if (intent === 'book' && has(TABLE)) {
    return {
      event: 'table_booking_started',
      noun: ['table booking', 'table bookings'],
      act: 'book a table',
    }
  }
  if (intent === 'buy' && has(TICKET)) {
    return {
      event: 'ticket_purchase_started',
      noun: ['ticket purchase', 'ticket purchases'],
      act: 'buy tickets',
    }
  }
  return { event, noun, act: act ?? null }
}
