import type { SiteFindings } from '#scanner/read/findings'
import { intentOfPath } from '#scanner/read/targets'
import type { Recommendation, ScanFunnelStep, ScanResult } from '#schemas/website-scans'
import { pageWords } from './words-of-page.ts'

type Funnel = ScanResult['goal_driven_funnels'][number]

/** Funnels of one result. */
const MAX_FUNNELS = 3

/** Which event comes before which, as far as both are recommended. */
const CHAINS: readonly (readonly string[])[] = [
  ['plan_chosen', 'signup_completed', 'first_success_reached'],
  ['trial_started', 'signup_completed', 'first_success_reached'],
  ['signup_started', 'signup_completed', 'first_success_reached'],
  ['membership_started', 'signup_completed', 'topic_started'],
  ['product_added_to_cart', 'checkout_started', 'order_completed'],
  ['purchase_started', 'order_completed'],
  ['search_submitted', 'seller_contacted', 'deal_agreed'],
  ['listing_started', 'listing_published'],
  ['booking_started', 'booking_confirmed'],
  ['table_booking_started', 'booking_confirmed'],
  ['demo_requested', 'enquiry_received'],
  ['quote_requested', 'enquiry_received'],
  ['contact_started', 'enquiry_received'],
  ['project_explored', 'contact_started', 'enquiry_received'],
  ['article_finished', 'newsletter_submitted', 'newsletter_confirmed'],
  ['newsletter_submitted', 'newsletter_confirmed'],
  ['creation_started', 'result_made', 'result_exported'],
  ['search_submitted', 'code_copied', 'setup_finished'],
  ['topic_started', 'reply_submitted', 'member_welcomed'],
]
/** Events that nobody wants to see more often. A funnel does not lead to them. */
const NO_GOALS: ReadonlySet<string> = new Set([
  'payment_failed',
  'stock_missed',
  'limit_reached',
  'form_problem_shown',
  'search_without_result',
  'page_missing_shown',
  'login_failed',
  'login_started',
])

/**
 * Funnels to the goals of the site: from the page where people arrive or see prices to the last event that
 * the plan has. Their steps are those of POST /funnel.
 */
export function funnelsOf(recommended: readonly Recommendation[], findings: SiteFindings): Funnel[] {
  const events = new Set(recommended.map(({ event }) => event))
  const pageOf = new Map(recommended.map(({ event, placement }) => [event, placement.page]))
  const chains = uniqueChains(CHAINS.map(chain => chain.filter(event => events.has(event))))
  const whole = chains.filter(
    chain => !chains.some(other => other.length > chain.length && chain.every(each => other.includes(each))),
  )
  const covered = new Set(chains.flat())
  const others = recommended.map(({ event }) => event).filter(event => !covered.has(event))
  const goals = others.filter(event => !NO_GOALS.has(event))
  const single = (whole.length + goals.length > 0 ? goals : others).map(event => [event])
  const ranked = [...whole, ...single].toSorted((a, b) => rankOf(a, recommended) - rankOf(b, recommended))
  return ranked.slice(0, MAX_FUNNELS).map(chain => {
    const first = chain[0] as string
    const goal = chain.at(-1) as string
    const path = startPage(first, pageOf.get(first) ?? findings.pages[0]?.path ?? '/', findings)
    const { filters, shown } = startStep(path, first, findings)
    const steps: ScanFunnelStep[] = [
      { event: 'page_view', filters },
      ...chain.map(event => ({ event, filters: [] })),
    ]
    return {
      name: first === goal ? `${shown} to ${goal}` : `${shown} by ${first} to ${goal}`,
      steps,
      ...readingOf(chain, shown, findings.hostname),
    }
  })
}

/** Each chain once: two of them may share the events that are left. */
function uniqueChains(chains: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(chains.filter(chain => chain.length > 0).map(chain => [chain.join(), chain])).values()]
}

/**
 * The first step. One product or one text is an example: its funnel begins on all pages of its kind, which
 * share the part of the path before the last slash. Texts without such a part can be any page.
 */
function startStep(
  path: string,
  event: string,
  { classification }: SiteFindings,
): { filters: ScanFunnelStep['filters']; shown: string } {
  const parent = /^(\/.+\/)[^/]+\/?$/.exec(path)?.[1]
  if (parent !== undefined && EXAMPLES.test(event)) {
    return {
      filters: [{ property: 'path', op: 'contains', value: parent }],
      shown: `the pages below ${pageWords(parent, 60)}`,
    }
  }
  if (path !== '/' && event === 'article_finished' && classification.site_class === 'content') {
    return { filters: [], shown: 'any page' }
  }
  return { filters: [{ property: 'path', op: 'eq', value: path }], shown: pageWords(path, 60) }
}

/** Events whose page is one of many: a product, an offer, a text, a project, a topic. */
const EXAMPLES = /^(product_|item_|seller_|purchase_|article_|project_|reply_|page_|text_|code_)/

/** What to decide by a funnel, and how to read it. One with a single event has no steps after that. */
function readingOf(
  chain: readonly string[],
  shown: string,
  host: string,
): Pick<Funnel, 'decision' | 'bottleneck_detection'> {
  const [first, last] = [chain[0], chain.at(-1)]
  const call = 'Send POST /funnel with these steps, once without and once with breakdown=device'
  if (first === last) {
    return {
      decision: `Decide whether ${host} needs more visitors on ${shown}, or a better way from there to ${first}.`,
      bottleneck_detection: `${call}. If the conversion_rate differs much between devices, the element is hard to find or broken on one of them.`,
    }
  }
  return {
    decision: `Decide whether to improve ${shown} of ${host} or the steps after ${first}: the step that loses the most people is next.`,
    bottleneck_detection: `${call}. If the conversion_rate of ${first} is far below the others, the page does not convince. If that of ${last} is low, the steps after the click are too long or broken.`,
  }
}

/** The place of the first of its events in the plan; longer chains first. */
function rankOf(chain: readonly string[], recommended: readonly Recommendation[]): number {
  const best = Math.min(...chain.map(event => recommended.find(each => each.event === event)?.priority ?? 99))
  return best - chain.length / 10
}

/** The page of prices for what is bought or begun, else the page with the element. */
function startPage(event: string, page: string, { pages, actions }: SiteFindings): string {
  if (/^(trial|signup|purchase)_started$|^plan_chosen$/.test(event)) {
    const read = pages.find(({ path }) => intentOfPath(path) === 'pricing')?.path
    const linked = actions.find(
      ({ intent, target }) => intent === 'pricing' && target?.startsWith('/'),
    )?.target
    return read ?? linked ?? page
  }
  return page
}
