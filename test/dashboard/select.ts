import { DomUtils, parseDocument } from 'htmlparser2'

/** Finds elements in drawn markup. */

export type Markup = ReturnType<typeof parseDocument>
export type Found = ReturnType<typeof DomUtils.findAll>[number]

export function parseMarkup(html: string): Markup {
  return parseDocument(html)
}

/**
 * The elements that a selector names, in their order. It knows tags, classes, ids, attributes, descendants,
 * children (`>`) and lists (`,`).
 */
export function select(root: Markup | Found, selector: string): Found[] {
  const ways = selector.split(/,(?![^[]*\])/).map(each => each.match(PART)?.filter(Boolean) ?? [])
  return DomUtils.findAll(element => ways.some(way => isReached(element, way)), root.children)
}

/** The text of an element with that of all below it. */
export function textOf(found: Markup | Found): string {
  return DomUtils.textContent(found).trim()
}

/** A compound such as `a.more[href="/x y"]`, or `>`. */
const PART = />|[^\s>[]*(?:\[[^\]]*\][^\s>[]*)*/g

/** Whether the last part of the way is the element, and the parts before it are above it. */
function isReached(element: Found, way: readonly string[]): boolean {
  const [own = '', ...above] = way.toReversed()
  if (!isNamed(element, own)) return false
  if (above.length === 0) return true
  const isChild = above[0] === '>'
  const rest = above.slice(isChild ? 1 : 0).toReversed()
  for (let parent = element.parent; parent !== null; parent = parent.parent) {
    if ('attribs' in parent && isReached(parent, rest)) return true
    if (isChild) return false
  }
  return false
}

function isNamed({ name, attribs }: Found, compound: string): boolean {
  const [tag] = /^[\w-]+/.exec(compound) ?? []
  if (tag !== undefined && tag !== name) return false
  const classes = (attribs.class ?? '').split(/\s+/)
  return [...compound.matchAll(/\.([\w-]+)|#([\w-]+)|\[([\w-]+)(?:(\^?\*?)="([^"]*)")?\]/g)].every(
    ([, className, id, attribute = '', how, value]) => {
      if (className !== undefined) return classes.includes(className)
      if (id !== undefined) return attribs.id === id
      const known = attribs[attribute]
      if (known === undefined || value === undefined) return known !== undefined
      if (how === '^') return known.startsWith(value)
      return how === '*' ? known.includes(value) : known === value
    },
  )
}
