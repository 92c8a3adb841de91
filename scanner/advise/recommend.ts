import type { Action, Intent, SiteFindings } from '#scanner/read/findings'
import type { Placement, Recommendation, SiteClass } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { problemOfCall } from './check-call.ts'
import { elementWords } from './element-words.ts'
import { callLine, exampleCalls } from './example-calls.ts'
import { fill, fillSentence, type Places } from './fill.ts'
import { deepestPage, firstPage, headingOf } from './places-of-site.ts'
import { attributesOf, propertiesOf, trackCall } from './properties.ts'
import { bareWords, pageWords } from './words-of-page.ts'

/** Further elements of an event that are named. */
const MAX_OTHERS = 6

/** Words for the same thing that differ between kinds of sites. */
const WORDS: Partial<Record<SiteClass, Pick<Places, 'reader' | 'text' | 'thread'>>> = {
  content: { reader: 'reader', text: 'text', thread: 'text' },
  docs: { reader: 'reader', text: 'page', thread: 'page' },
  community: { reader: 'visitor', text: 'page', thread: 'topic' },
}
const OTHER_WORDS = { reader: 'visitor', text: 'page', thread: 'page' }

/** One recommendation, in the words of the site. */
export function recommend(
  { template, event, noun, actions, begin }: Candidate,
  priority: number,
  findings: SiteFindings,
  project: string,
): Recommendation {
  const places = placesOf({ template, event, actions, begin }, findings)
  const action = actions[0]
  const properties = action === undefined ? [] : propertiesOf(template, action, findings)
  const placement = placementOf({ template, event, actions }, properties, findings)
  const calls = exampleCalls(
    { event, noun, method: placement.method, start: firstPage(findings) },
    project,
    findings.hostname,
  ).filter(call => problemOfCall(call) === null)
  return {
    event,
    priority,
    why_this_matters_now: fillSentence(template.why, places),
    current_blindspot: fillSentence(template.blindspot, places),
    unlocks_questions: calls.map(call => `${call.question} ${callLine(call)}`),
    agent_capability_after_install: fillSentence(template.capability, places),
    properties,
    implementation_hint: hintOf(
      placement,
      { template, begin, element: places.element ?? '', action: action ?? null },
      places,
      findings,
    ),
    placement,
    example_calls: calls,
  }
}

/** What the texts say about the site. */
function placesOf(
  { template, event, actions, begin }: Pick<Candidate, 'template' | 'event' | 'actions' | 'begin'>,
  findings: SiteFindings,
): Places {
  const { hostname, name, classification } = findings
  const action = actions[0]
  const page = action?.page ?? deepestPage(findings) ?? '/'
  const subject = name === null ? hostname : pageWords(name.quote)
  const heading = headingOf(findings)
  return {
    ...(WORDS[classification.site_class] ?? OTHER_WORDS),
    event,
    host: hostname,
    page: pageWords(`${hostname}${page}`, 100),
    subject,
    heading: pageWords(heading?.quote ?? ''),
    headingPage: pageWords(`${hostname}${heading?.page ?? '/'}`, 100),
    element: action === undefined ? `a visitor of ${pageWords(page, 80)}` : elementWords(action),
    begin: begin === null ? (template.begins?.otherwise ?? '') : elementWords(begin),
  }
}

function placementOf(
  { template, event, actions }: Pick<Candidate, 'template' | 'event' | 'actions'>,
  properties: Recommendation['properties'],
  findings: SiteFindings,
): Placement {
  const [action, ...others] = actions
  if (action === undefined) {
    const { where } = template
    // An outcome is on a page that was read only if its text names that page.
    const method = where?.method ?? 'call'
    const page = where?.text.includes('{headingPage}')
      ? (headingOf(findings)?.page ?? null)
      : where?.text.includes('{page}')
        ? deepestPage(findings)
        : null
    const code = method === 'server' ? serverCall(event) : trackCall(event, [])
    return { page, selector: null, words: null, method, code, also: [] }
  }
  const { page, selector, words } = action
  const method = hasAttributes(action) ? 'attribute' : 'call'
  return {
    page,
    selector,
    words: words === '' ? null : bareWords(words),
    method,
    code: method === 'call' ? trackCall(event, properties) : attributesOf(event, properties),
    also: others
      .filter(hasAttributes)
      .slice(0, MAX_OTHERS)
      .map(other => ({
        page: other.page,
        selector: other.selector,
        code: attributesOf(event, propertiesOf(template, other, findings)),
      })),
  }
}

/** A click on a form without a button, on a frame or on a player does not reach the page. */
function hasAttributes({ kind, isBareForm }: Action): boolean {
  return !isBareForm && kind !== 'frame' && kind !== 'player'
}

/** The request of a server (docs/api/ingestion.md). The token and the user are the site's own. */
function serverCall(event: string): string {
  return `POST /track ${JSON.stringify({ token: 'aat_…', event, user_id: 'the id that the browser has' })}`
}

function hintOf(
  { page, selector, method, code, also }: Placement,
  {
    template: { where },
    begin,
    element,
    action,
  }: { template: Candidate['template']; begin: Action | null; element: string; action: Action | null },
  places: Places,
  findings: SiteFindings,
): string {
  if (where !== undefined && selector === null) {
    if (method === 'server') return serverHint(fill(where.text, places), begin, findings, code)
    const [place = '', ...more] = fill(where.text, places).split(/(?<=\.) /)
    const rule = `${place.replace(/\.$/, '')}, ${where.often ?? 'at most once on each page'}.`
    return [`Call ${code} ${rule}`, ...more.map(each => each.replace(/\.?$/, '.'))].join(' ')
  }
  const path = pageWords(page ?? '/', 80)
  if (action?.kind === 'player') {
    return `Call ${code} when ${element} starts, once on each page: document.querySelector(${JSON.stringify(selector)}).addEventListener('play', …, { once: true }).`
  }
  if (action?.kind === 'frame') {
    const host = URL.parse(action.target ?? '')?.hostname ?? 'another site'
    return `What happens in ${element} belongs to ${pageWords(host)} and cannot be measured from the page. Call ${code} when a visitor enters the frame: once, on the blur event of window, if document.activeElement is document.querySelector(${JSON.stringify(selector)}). If that service has a webhook, send what was finished from there.`
  }
  if (method === 'call') {
    return `No button sends ${element}, so call ${code} in its submit handler: document.querySelector(${JSON.stringify(selector)}).addEventListener('submit', …).`
  }
  const more =
    also.length === 0
      ? ''
      : ` The same event belongs to ${also.length === 1 ? 'one more element' : `${also.length} more elements`}, each with its own attributes: ${also.map(other => `${JSON.stringify(other.selector)} on ${pageWords(other.page, 80)}`).join(', ')}.`
  const sent =
    action?.kind === 'form'
      ? 'It sends the event when the browser sends the form, not by a click while a field is not valid'
      : 'A click on it sends the event'
  return `Add ${code} to ${element}. The selector ${JSON.stringify(selector)} matches it on ${path}. ${sent}, and no script is needed.${more}`
}

/** What is done once the form is sent. An order is not: further steps follow. */
const ENDS_IN_FORM: ReadonlySet<Intent> = new Set([
  'sign_up',
  'contact',
  'quote',
  'demo',
  'subscribe',
  'book',
  'sell',
])

/** Where in the server: the address to which a form of the site sends its data says it best. */
function serverHint(where: string, begin: Action | null, findings: SiteFindings, code: string): string {
  if (begin?.isExternal) {
    const host = URL.parse(begin.target ?? '')?.hostname ?? ''
    return `Send ${code} from a webhook of ${pageWords(host)}, where ${elementWords(begin)} leads. If that service has no webhook, leave this event out.`
  }
  const form = findings.actions.find(
    ({ kind, intent, target, page }) =>
      kind === 'form' &&
      intent === begin?.intent &&
      target !== null &&
      target !== page &&
      ENDS_IN_FORM.has(intent),
  )
  const handler =
    form === undefined
      ? ''
      : ` ${form.isBareForm ? 'T' : 'The form with t'}${elementWords(form).slice(1)} sends its data to ${pageWords(form.target ?? '', 80)}, so look there first.`
  const after = begin === null || form !== undefined ? '' : ` It follows ${elementWords(begin)}.`
  return `Send ${code} from the server: ${where}.${handler}${after}`
}
