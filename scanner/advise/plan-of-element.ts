import type { Action, SiteFindings } from '#scanner/read/findings'

/** Fewer plans on a page are no choice. */
const MIN_PLANS = 2

/**
 * The plan that an element chooses: its words or its selector, which may have its address, name one of the
 * plans of its page.
 */
export function planOf({ page, region, words, selector }: Action, { plans }: SiteFindings): string | null {
  const own = plans.filter(plan => plan.page === page)
  if (own.length < MIN_PLANS || (region !== 'main' && region !== 'body')) return null
  const said = `${words} ${selector}`.toLowerCase()
  return own.find(({ name }) => new RegExp(`\\b${escaped(name.toLowerCase())}\\b`).test(said))?.name ?? null
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
