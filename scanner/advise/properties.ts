import type { Action, SiteFindings } from '#scanner/read/findings'
import type { Recommendation } from '#schemas/website-scans'
import type { EventTemplate, PropertySource } from './event-template.ts'
import { planOf } from './plan-of-element.ts'
import { bareWords } from './words-of-page.ts'

type Property = Recommendation['properties'][number]

/** Longest example of a property, characters. */
const MAX_EXAMPLE_CHARS = 40

const MEANINGS: Readonly<Record<PropertySource | 'place', string>> = {
  place: 'Where on the page the element is',
  plan: 'The plan that the element belongs to',
  product: 'What the element is about, by its own id or name',
  value: 'The price as a number',
  currency: 'ISO 4217 code of the currency',
  topic: 'What the page is about, such as its category',
  method: 'How the visitor gets in touch',
}

/**
 * The properties of an event of an element, with examples from the page. Only names that a report can group.
 */
export function propertiesOf(template: EventTemplate, action: Action, findings: SiteFindings): Property[] {
  const sources = ['place', ...(template.properties ?? [])] as const
  return sources.flatMap(name => {
    const example = exampleOf(name, action, findings)
    return example === null ? [] : [{ name, example, meaning: MEANINGS[name] }]
  })
}

function exampleOf(source: PropertySource | 'place', action: Action, findings: SiteFindings): string | null {
  const { page, region, target } = action
  const { pages, prices } = findings
  const own = pages.find(({ path }) => path === page)
  const price = onlyPrice(prices.filter(each => each.page === page))
  // An element in the header belongs to no product, price or plan.
  if (source !== 'place' && source !== 'method' && region !== 'main' && region !== 'body') return null
  switch (source) {
    case 'place':
      return region === 'body' ? 'main' : region
    case 'plan':
      return bareWords(planOf(action, findings) ?? '', 30) || null
    case 'product':
    case 'topic':
      // The first page is about the whole site.
      return page === '/' ? null : wholeWords(own?.h1 || own?.title || '') || null
    case 'value':
      return price === undefined ? null : String(price.amount)
    case 'currency':
      return price?.currency ?? null
    case 'method':
      return target === null ? 'mail' : 'form'
  }
}

/** On a page with several prices nobody can say which one belongs to an element. */
function onlyPrice(prices: SiteFindings['prices']): SiteFindings['prices'][number] | undefined {
  return new Set(prices.map(({ amount }) => amount)).size === 1 ? prices[0] : undefined
}

/** The first words of a text, without a cut one at the end. */
function wholeWords(text: string): string {
  const words = bareWords(text, MAX_EXAMPLE_CHARS)
  return words.endsWith('…') ? words.split(/\s+/).slice(0, -1).join(' ') : words
}

/** The attributes that send the event (docs/tracker.md). */
export function attributesOf(event: string, properties: readonly Property[]): string {
  const pairs = properties.map(({ name, example }) => `data-aa-event-${name}="${escaped(example)}"`)
  return [`data-aa-event="${event}"`, ...pairs].join(' ')
}

/** The call that sends the event (docs/tracker.md). */
export function trackCall(event: string, properties: readonly Property[]): string {
  const values = Object.fromEntries(properties.map(({ name, example }) => [name, example]))
  return properties.length === 0
    ? `window.aa?.track('${event}')`
    : `window.aa?.track('${event}', ${JSON.stringify(values)})`
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
