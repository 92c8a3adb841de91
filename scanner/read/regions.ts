import type { Region } from './findings.ts'
import type { HtmlElement } from './html-tree.ts'

const REGION_OF_TAG: ReadonlyMap<string, Region> = new Map([
  ['header', 'header'],
  ['nav', 'nav'],
  ['main', 'main'],
  ['article', 'main'],
  ['aside', 'aside'],
  ['footer', 'footer'],
  ['dialog', 'dialog'],
])

const REGION_OF_ROLE: ReadonlyMap<string, Region> = new Map([
  ['banner', 'header'],
  ['navigation', 'nav'],
  ['main', 'main'],
  ['complementary', 'aside'],
  ['contentinfo', 'footer'],
  ['dialog', 'dialog'],
])

/**
 * The nearest landmark around an element. A header within an article belongs to the article, and a navigation
 * within a header or footer to that.
 */
export function regionOf(element: HtmlElement): Region {
  for (let each: HtmlElement | null = element; each !== null; each = each.parent) {
    const region = REGION_OF_ROLE.get(each.attributes.get('role') ?? '') ?? REGION_OF_TAG.get(each.tag)
    if (region === 'header' && isWithin(each, 'main', 'article')) return 'main'
    if (region === 'nav' && isWithin(each, 'footer')) return 'footer'
    if (region === 'nav' && isWithin(each, 'header')) return 'header'
    if (region !== undefined) return region
  }
  return 'body'
}

/** Whether an element is in one of these. */
export function isWithin(element: HtmlElement, ...tags: string[]): boolean {
  return ancestorOf(element, each => tags.includes(each.tag)) !== null
}

/** The nearest ancestor for which this holds. */
export function ancestorOf(
  element: HtmlElement,
  holds: (ancestor: HtmlElement) => boolean,
): HtmlElement | null {
  for (let each = element.parent; each !== null; each = each.parent) if (holds(each)) return each
  return null
}
