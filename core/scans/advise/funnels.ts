import type { SiteFindings } from '#core/scans/read/findings'
import { intentOfPath } from '#core/scans/read/targets'
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
  ['article_finished', 'newsletter_submitted'],
  ['project_explored', 'contact_started', 'enquiry_received'],
  ['creation_started', 'result_made', 'result_exported'],
  ['search_submitted', 'code_copied', 'setup_finished'],
  ['topic_started', 'reply_submitted', 'member_welcomed'],
]

/**
 * Funnels to the goals of the site: from the page where people arrive or see prices to the last event that
 * the plan has. Their steps are those of POST /funnel.
 */
export function funnelsOf(recommended: readonly Recommendation[], findings: SiteFindings): Funnel[] {
  const events = new Set(recommended.map(({ event }) => event))
  const pageOf = new Map(recommended.map(({ event, placement }) => [event, placement.page]))
  const chains = CHAINS.map(chain => chain.filter(event => events.has(event))).filter(
    chain => chain.length > 0,
  )
  const whole = chains.filter(
    chain => !chains.some(other => other.length > chain.length && chain.every(each => other.includes(each))),
  )
  const covered = new Set(chains.flat())
  const single = recommended.filter(({ event }) => !covered.has(event)).map(({ event }) => [event])
  const ranked = [...whole, ...single].toSorted((a, b) => rankOf(a, recommended) - rankOf(b, recommended))
  return ranked.slice(0, MAX_FUNNELS).map(chain => {
    const first = chain[0] as string
    const goal = chain.at(-1) as string
    const start = startPage(first, pageOf.get(first) ?? findings.pages[0]?.path ?? '/', findings)
    const steps: ScanFunnelStep[] = [
      { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: start }] },
      ...chain.map(event => ({ event, filters: [] })),
    ]
    const shown = pageWords(start, 60)
    return {
      name: `${shown} to ${goal}`,
      steps,
      ...readingOf(chain, shown, findings.hostname),
    }
  })
}

/** What to decide by a funnel, and how to read it. One with a single event has no steps after that. */
function readingOf(
  chain: readonly string[],
  shown: string,
  host: string,
): Pick<Funnel, 'decision' | 'bottleneck_detection'> {
  const [first, last] = [chain[0], chain.at(-1)]
  const call = 'POST /funnel with these steps, once without and once with breakdown=device'
  if (first === last) {
    return {
      decision: `Whether ${shown} of ${host} needs other words or another place for ${first}, or more visitors.`,
      bottleneck_detection: `${call}. A conversion_rate that differs between devices means that the element is hard to find or broken on one of them.`,
    }
  }
  return {
    decision: `Whether to work on what ${shown} of ${host} promises, or on the steps after ${first}: the step with the largest loss is next.`,
    bottleneck_detection: `${call}. A conversion_rate of ${first} far below the others means that ${shown} does not convince; a low one of ${last} means that the way after the click is broken or long.`,
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
