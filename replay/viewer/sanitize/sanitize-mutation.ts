import { type SnapshotNode, Source } from '#replay/masking/events'
import { type Fields, list, pick } from '#replay/masking/fields'
import {
  DOCUMENT,
  isId,
  MAX_DEPTH,
  type NodeContext,
  roleOf,
  sanitizeAttributes,
  sanitizeNode,
  sanitizeText,
} from './sanitize-nodes.ts'
import { sanitizeStyles } from './sanitize-styles.ts'

/** Maximum changes of one kind in an event. */
const MAX_CHANGES = 50_000
/** A property of a style. */
const PROPERTY = /^-{0,2}[a-z][\w-]{0,99}$/i

export type MutationContext = NodeContext & {
  /** The parents of nodes that were added, by id. */
  parents: Map<number, number>
}

/** Returns a change of elements as the viewer may apply it. Changes of unknown nodes are left out. */
export function sanitizeMutation(data: Fields, context: MutationContext): Fields {
  const removes = entries(data.removes).flatMap(({ parentId, id, isShadow }) =>
    isId(id) && isId(parentId) && context.roles.has(id)
      ? [{ parentId, id, ...(isShadow === true && { isShadow }) }]
      : [],
  )
  for (const { id } of removes) context.parents.delete(id as number)
  const adds = sanitizeAdds(entries(data.adds), context)
  return {
    source: Source.Mutation,
    ...(data.isAttachIframe === true && { isAttachIframe: true }),
    removes,
    adds,
    texts: entries(data.texts).flatMap(({ id, value }) => {
      const role = isId(id) ? context.roles.get(id) : undefined
      if (role !== '#text' && role !== '#style') return []
      return [{ id, value: value === null ? null : sanitizeText(value, role, context.leftOut) }]
    }),
    attributes: entries(data.attributes).flatMap(({ id, attributes }) => {
      const role = isId(id) ? context.roles.get(id) : undefined
      if (role === undefined || role.startsWith('#')) return []
      const changed = changedAttributes(role, attributes, context)
      if (typeof changed._cssText === 'string') context.missingSheets.delete(id as number)
      return [{ id, attributes: changed }]
    }),
  }
}

/**
 * A parent may come after its child in the list, so the roles of all are noted first. The player places a
 * node beside -1 later, anywhere; so no place is -1.
 */
function sanitizeAdds(adds: Fields[], context: MutationContext): Fields[] {
  const nodes = adds.filter(
    ({ node, parentId }) => typeof node === 'object' && node !== null && isId(parentId),
  ) as (Fields & { node: SnapshotNode; parentId: number })[]
  const unplaced = new Set<number>()
  for (const { node } of nodes) if (noteElement(node, context)) unplaced.add(node.id)
  const clean = nodes.flatMap(({ node, parentId, nextId, previousId }) => {
    const parent = context.roles.get(parentId)
    if (parent === undefined || (parent.startsWith('#') && parent !== DOCUMENT)) return []
    const depth = depthBelow(parentId, node.id, context)
    const built = depth === null ? null : sanitizeNode(node, parent, depth, context)
    if (built === null) return []
    unplaced.delete(built.id)
    context.parents.set(built.id, parentId)
    return [{ parentId, nextId: placeOf(nextId), ...previous(previousId), node: built }]
  })
  for (const id of unplaced) context.roles.delete(id)
  return clean
}

/**
 * An element may be named as a parent before it is added. Its tag says what its children are. Returns whether
 * the element is new.
 */
function noteElement(node: SnapshotNode, { roles }: MutationContext): boolean {
  if (!isId(node.id) || roles.has(node.id)) return false
  const role = roleOf(node, 'div')
  if (role === null || role.startsWith('#')) return false
  roles.set(node.id, role)
  return true
}

/** How deep a node below this parent lies, or null if it would be below itself or too deep. */
function depthBelow(parentId: number, id: number, { parents }: MutationContext): number | null {
  let depth = 1
  for (let at: number | undefined = parentId; at !== undefined; at = parents.get(at)) {
    if (at === id || depth > MAX_DEPTH) return null
    depth++
  }
  return depth
}

function placeOf(id: unknown): number | null {
  return isId(id) ? id : null
}

function previous(id: unknown): { previousId?: number } {
  return isId(id) ? { previousId: id } : {}
}

/** A changed style is a text, or its changed properties: a value, a value with its priority, or false. */
function changedAttributes(role: string, attributes: unknown, context: MutationContext): Fields {
  const { style, ...others } = ((typeof attributes === 'object' ? attributes : null) ?? {}) as Fields
  const clean: Fields = sanitizeAttributes(role, others, context.leftOut)
  if (typeof style === 'string' || style === null) {
    return { ...clean, ...sanitizeAttributes(role, { style }, context.leftOut) }
  }
  return typeof style === 'object' ? { ...clean, style: sanitizeProperties(style as Fields, context) } : clean
}

function sanitizeProperties(properties: Fields, { leftOut }: MutationContext): Fields {
  const clean: Fields = {}
  for (const [name, value] of Object.entries(properties)) {
    if (!PROPERTY.test(name)) continue
    if (value === false) clean[name] = false
    else if (typeof value === 'string') clean[name] = sanitizeStyles(value, leftOut)
    else if (Array.isArray(value) && typeof value[0] === 'string') {
      clean[name] = [sanitizeStyles(value[0], leftOut), value[1] === 'important' ? 'important' : '']
    }
  }
  return clean
}

/** Returns a change of one declaration in a style sheet, or null for one of no property. */
export function sanitizeDeclaration(data: Fields, { leftOut }: NodeContext): Fields | null {
  const { set, remove } = data as { set?: Fields; remove?: Fields }
  const place = pick(data, ['id', 'styleId', 'index'])
  const property = String((set ?? remove)?.property ?? '')
  if (!PROPERTY.test(property) || !Array.isArray(place.index)) return null
  return {
    source: Source.StyleDeclaration,
    ...place,
    ...(set && {
      set: {
        property,
        value: typeof set.value === 'string' ? sanitizeStyles(set.value, leftOut) : null,
        ...(set.priority === 'important' && { priority: 'important' }),
      },
    }),
    ...(remove && { remove: { property } }),
  }
}

/** Returns changes of rules of a style sheet. */
export function sanitizeRules(data: Fields, { leftOut }: NodeContext): Fields {
  const css = (text: unknown) => (typeof text === 'string' ? sanitizeStyles(text, leftOut) : '')
  return {
    source: Source.StyleSheetRule,
    ...pick(data, ['id', 'styleId']),
    adds: entries(data.adds).map(({ rule, index }) => ({ ...pick({ index }, ['index']), rule: css(rule) })),
    removes: entries(data.removes).map(({ index }) => pick({ index }, ['index'])),
    ...(typeof data.replace === 'string' && { replace: css(data.replace) }),
    ...(typeof data.replaceSync === 'string' && { replaceSync: css(data.replaceSync) }),
  }
}

/** Returns style sheets that a document or shadow tree adopts. */
export function sanitizeAdopted(data: Fields, { leftOut }: NodeContext): Fields {
  const css = (text: unknown) => (typeof text === 'string' ? sanitizeStyles(text, leftOut) : '')
  return {
    source: Source.AdoptedStyleSheet,
    ...pick(data, ['id']),
    styleIds: (Array.isArray(data.styleIds) ? data.styleIds : []).filter(isId).slice(0, MAX_CHANGES),
    styles: entries(data.styles).map(({ styleId, rules }) => ({
      ...pick({ styleId }, ['styleId']),
      rules: entries(rules).map(({ rule, index }) => ({ ...pick({ index }, ['index']), rule: css(rule) })),
    })),
  }
}

/** The entries of a list that have fields, up to a bound. */
function entries(value: unknown): Fields[] {
  return list(value)
    .filter(entry => typeof entry === 'object' && entry !== null)
    .slice(0, MAX_CHANGES)
}
