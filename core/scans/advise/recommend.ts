import type { SiteFindings } from '#core/scans/read/findings'
import type { Placement, Recommendation } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { problemOfCall } from './check-call.ts'
import { elementWords } from './element-words.ts'
import { callLine, exampleCalls } from './example-calls.ts'
import { fill, fillSentence, type Places } from './fill.ts'
import { attributesOf, propertiesOf, trackCall } from './properties.ts'
import { bareWords, pageWords } from './words-of-page.ts'

/** Further elements of an event that the hint names. */
const MAX_OTHERS = 4

/** One recommendation, in the words of the site. */
export function recommend(
  { template, event, actions }: Candidate,
  priority: number,
  findings: SiteFindings,
  project: string,
): Recommendation {
  const places = placesOf(event, actions, findings)
  const action = actions[0]
  const properties = action === undefined ? [] : propertiesOf(template, action, findings)
  const placement = placementOf(template, event, actions, properties, findings)
  const calls = exampleCalls(
    { event, noun: template.noun, hasPlace: placement.method === 'attribute' },
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
      template.where && fill(template.where.text, places),
      places,
      actions.slice(1, 1 + MAX_OTHERS),
    ),
    placement,
    example_calls: calls,
  }
}

/** What the texts say about the site. */
function placesOf(event: string, actions: Candidate['actions'], findings: SiteFindings): Places {
  const { hostname, name } = findings
  const action = actions[0]
  const page = action?.page ?? deepestPage(findings) ?? '/'
  const subject = name === null ? hostname : pageWords(name.quote)
  return {
    event,
    host: hostname,
    page: pageWords(`${hostname}${page}`, 100),
    subject,
    element: action === undefined ? `a visitor of ${pageWords(page, 80)}` : elementWords(action),
  }
}

/** Texts, products and projects are below the first page. */
function deepestPage({ pages }: SiteFindings): string | null {
  return pages.find(({ path, words }) => path !== '/' && words >= 80)?.path ?? pages[0]?.path ?? null
}

function placementOf(
  { where }: Candidate['template'],
  event: string,
  actions: Candidate['actions'],
  properties: Recommendation['properties'],
  findings: SiteFindings,
): Placement {
  const action = actions[0]
  if (action === undefined) {
    return {
      page: deepestPage(findings) ?? '/',
      selector: null,
      words: null,
      method: where?.method ?? 'call',
      code: where?.method === 'server' ? serverCall(event) : trackCall(event, []),
    }
  }
  const { page, selector, words, isBareForm } = action
  return {
    page,
    selector,
    words: words === '' ? null : bareWords(words),
    method: isBareForm ? 'call' : 'attribute',
    code: isBareForm ? trackCall(event, properties) : attributesOf(event, properties),
  }
}

/** The request of a server (docs/api/ingestion.md). The token and the user are the site's own. */
function serverCall(event: string): string {
  return `POST /track ${JSON.stringify({ token: 'aat_…', event, user_id: 'the id that aa.identify gets' })}`
}

function hintOf(
  { page, selector, method, code }: Placement,
  where: string | undefined,
  places: Places,
  others: Candidate['actions'],
): string {
  const path = pageWords(page, 80)
  if (method === 'server') {
    return `Send it from ${where ?? 'the server'}, with the same user id that the pages pass to aa.identify: ${code}.`
  }
  if (selector === null) return `Call ${code} ${where ?? `on ${path}`}, once for each page view.`
  if (method === 'call') {
    return `No button sends ${places.element ?? 'the form'}, so call ${code} in its submit handler: document.querySelector(${JSON.stringify(selector)}).addEventListener('submit', …).`
  }
  const same = others.map(
    ({ selector: other, page: otherPage, region }) =>
      `${JSON.stringify(other)} on ${pageWords(otherPage, 80)} (place ${region === 'body' ? 'main' : region})`,
  )
  const more =
    same.length === 0
      ? ''
      : ` The same event, with its own data-aa-event-place, belongs to ${same.join(', ')}.`
  return `Add ${code} to ${places.element ?? 'the element'}, which ${JSON.stringify(selector)} matches on ${path}. A click on it sends the event; no script is needed.${more}`
}
