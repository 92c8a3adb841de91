/** What the service calls the kinds of senders, in words. A kind that is not here has its own name. */
const KINDS: Record<string, string> = {
  ai_agent: 'AI agents',
  search_crawler: 'Search engines',
  social_preview: 'Previews of links',
  seo_research: 'SEO tools',
  headless_browser: 'Browsers without a window',
  monitoring_perf: 'Monitoring',
  automation_script: 'Scripts',
  generic_bot: 'Other bots',
}

/** What the service calls the purposes of crawlers, in words. */
const PURPOSES: Record<string, string> = {
  train: 'Texts to train models',
  index: 'An index to search in',
  fetch: 'A page for somebody who asks now',
}

export function purposeLabel(purpose: string): string {
  return PURPOSES[purpose] ?? purpose
}

/** The same in a word, for a cell beside numbers. */
const SHORT_PURPOSES: Record<string, string> = { train: 'training', index: 'search', fetch: 'a reader' }

export function shortPurpose(purpose: string): string {
  return SHORT_PURPOSES[purpose] ?? purpose
}

export function kindLabel(category: string): string {
  return KINDS[category] ?? category
}
