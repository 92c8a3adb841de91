import type { SiteFindings } from '#core/scans/read/findings'
import type { Placement, Recommendation } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { problemOfCall } from './check-call.ts'
import { elementWords } from './element-words.ts'
import { callLine, exampleCalls } from './example-calls.ts'
import { fill, fillSentence, type Places } from './fill.ts'
import { attributesOf, propertiesOf, trackCall } from './properties.ts'
import { bareWords, pageWords } from './words-of-page.ts'

/** Further elements of an event that are named. */
const MAX_OTHERS = 6

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
  const placement = placementOf({ template, event, actions }, properties, findings)
  const calls = exampleCalls(
    { event, noun: template.noun, method: placement.method, start: firstPage(findings) },
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
    implementation_hint: hintOf(placement, template.where && fill(template.where.text, places), places),
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

function firstPage({ pages }: SiteFindings): string {
  return pages[0]?.path ?? '/'
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
    const page = where?.text.includes('{page}') ? deepestPage(findings) : null
    const method = where?.method ?? 'call'
    const code = method === 'server' ? serverCall(event) : trackCall(event, [])
    return { page, selector: null, words: null, method, code, also: [] }
  }
  const { page, selector, words, isBareForm } = action
  return {
    page,
    selector,
    words: words === '' ? null : bareWords(words),
    method: isBareForm ? 'call' : 'attribute',
    code: isBareForm ? trackCall(event, properties) : attributesOf(event, properties),
    also: others
      .filter(other => !other.isBareForm)
      .slice(0, MAX_OTHERS)
      .map(other => ({
        page: other.page,
        selector: other.selector,
        code: attributesOf(event, propertiesOf(template, other, findings)),
      })),
  }
}

/** The request of a server (docs/api/ingestion.md). The token and the user are the site's own. */
function serverCall(event: string): string {
  return `POST /track ${JSON.stringify({ token: 'aat_…', event, user_id: 'the id that aa.identify gets' })}`
}

function hintOf(
  { page, selector, method, code, also }: Placement,
  where: string | undefined,
  places: Places,
): string {
  if (method === 'server') {
    return `Send it from ${where ?? 'the server'}, with the same user id that the pages pass to aa.identify: ${code}.`
  }
  const path = pageWords(page ?? '/', 80)
  if (selector === null) return `Call ${code} ${where ?? `on ${path}`}, once for each page view.`
  if (method === 'call') {
    return `No button sends ${places.element ?? 'the form'}, so call ${code} in its submit handler: document.querySelector(${JSON.stringify(selector)}).addEventListener('submit', …).`
  }
  const more =
    also.length === 0
      ? ''
      : ` The same event belongs to ${also.length === 1 ? 'one more element' : `${also.length} more elements`}, each with its own attributes: ${also.map(other => `${JSON.stringify(other.selector)} on ${pageWords(other.page, 80)}`).join(', ')}.`
  return `Add ${code} to ${places.element ?? 'the element'}, which ${JSON.stringify(selector)} matches on ${path}. A click on it sends the event; no script is needed.${more}`
}
