import type { HtmlElement } from './html-tree.ts'

/** Attributes that name an element and seldom change, the most stable first. */
const NAMING = [
  'data-testid',
  'data-test',
  'data-cy',
  'data-qa',
  'name',
  'href',
  'action',
  'aria-label',
  'type',
]
/** Ancestors that a selector may begin with. */
const LANDMARKS = new Set([
  'header',
  'nav',
  'main',
  'aside',
  'footer',
  'dialog',
  'form',
  'article',
  'section',
])
/** Classes of an element that are tried, and the longest value. */
const MAX_CLASSES = 5
const MAX_VALUE_CHARS = 120
/** Steps of a path of a selector. Deeper elements are not on real pages. */
const MAX_STEPS = 40

/** A value that stands in a selector in double quotes without escapes, and in a hand-off as it is. */
const PLAIN_VALUE = /^[\w\-./:?=&%#@+,;~ ]+$/
/** Names that a build has made: they change with the next one. */
const GENERATED =
  /\d{3}|^(?:css|sc|jsx|emotion|styled|svelte|astro|chakra|mui|ember|react|radix|headlessui)-|__|[A-Z][^A-Z\n]*\d|:/
const IDENTIFIER = /^-?[A-Za-z_][\w-]{0,60}$/

/**
 * Writes CSS selectors that match one element of a page each. It tries, in this order: the id of the element,
 * an attribute of NAMING, a class, each of these below a landmark, and the place of the element. The first
 * one that matches no other element wins. A selector has only letters of PLAIN_VALUE, because names and
 * addresses are a stranger's words.
 */
export function createSelectors(
  elements: readonly HtmlElement[],
  wanted: readonly HtmlElement[],
): (element: HtmlElement) => string {
  const counts = countKeys(elements, wanted)
  const isUnique = (key: string) => counts.get(key) === 1
  return element => {
    const own = keysOf(element)
    // A tag alone matches the next element of its kind that somebody adds, so anything else comes first.
    const named = own.filter(key => key !== element.tag)
    return (
      named.find(isUnique) ??
      scopedKeys(element, own).find(isUnique) ??
      own.find(isUnique) ??
      pathOf(element, isUnique)
    )
  }
}

/** How many elements have each selector that is tried. One pass over the page. */
function countKeys(elements: readonly HtmlElement[], wanted: readonly HtmlElement[]): Map<string, number> {
  const ownKeys = new Set(wanted.flatMap(element => lineOf(element).flatMap(keysOf)))
  const keys = new Set(wanted.flatMap(element => scopedKeys(element, keysOf(element))))
  const counts = new Map<string, number>()
  for (const element of elements) {
    if (element.isInert) continue
    const own = keysOf(element).filter(key => ownKeys.has(key))
    for (const key of own) counts.set(key, (counts.get(key) ?? 0) + 1)
    for (const key of scopedKeys(element, own)) if (keys.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

function lineOf(element: HtmlElement): HtmlElement[] {
  const line: HtmlElement[] = []
  for (let each: HtmlElement | null = element; each !== null; each = each.parent) line.push(each)
  return line
}

/** The selectors of an element alone. */
function keysOf({ tag, attributes }: HtmlElement): string[] {
  if (!IDENTIFIER.test(tag)) return []
  const id = attributes.get('id') ?? ''
  const named = NAMING.flatMap(name => {
    const value = attributes.get(name) ?? ''
    const isPlain = value.length <= MAX_VALUE_CHARS && PLAIN_VALUE.test(value)
    return isPlain && !(name.startsWith('data-') && GENERATED.test(value))
      ? [`${tag}[${name}="${value}"]`]
      : []
  })
  const classes = (attributes.get('class') ?? '')
    .split(/\s+/, 4 * MAX_CLASSES)
    .filter(each => IDENTIFIER.test(each) && !GENERATED.test(each))
    .slice(0, MAX_CLASSES)
  return [
    ...(IDENTIFIER.test(id) && !GENERATED.test(id) ? [`#${id}`] : []),
    ...named.filter(key => !key.includes('[type=')),
    ...classes.map(each => `${tag}.${each}`),
    ...named.filter(key => key.includes('[type=')),
    tag,
  ]
}

/** The same below each landmark around the element. */
function scopedKeys(element: HtmlElement, own: readonly string[]): string[] {
  if (own.length === 0) return []
  const scopes = new Set<string>()
  for (let each = element.parent; each !== null; each = each.parent) {
    if (LANDMARKS.has(each.tag)) scopes.add(each.tag)
  }
  return own.filter(key => !key.startsWith('#')).flatMap(key => [...scopes].map(scope => `${scope} ${key}`))
}

/** The place of the element below its nearest ancestor that one selector matches, or below the body. */
function pathOf(element: HtmlElement, isUnique: (key: string) => boolean): string {
  const steps: string[] = []
  for (let each = element; steps.length < MAX_STEPS; each = each.parent) {
    const start = each === element || each.tag === 'body' ? undefined : keysOf(each).find(isUnique)
    if (start !== undefined) return [start, ...steps].join(' > ')
    if (each.tag === 'body') break
    steps.unshift(`${IDENTIFIER.test(each.tag) ? each.tag : '*'}:nth-of-type(${each.nthOfType})`)
    // Browsers put rows that stand in a table into a body of it.
    if (each.tag === 'tr' && each.parent?.tag === 'table') steps.unshift('tbody')
    if (each.parent === null || each.parent.tag === 'html') break
  }
  return ['body', ...steps].join(' > ')
}
