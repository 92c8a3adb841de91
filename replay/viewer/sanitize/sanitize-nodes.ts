import { NodeType, type SnapshotNode } from '#replay/masking/events'
import { list } from '#replay/masking/fields'
import { sanitizeAttribute } from './sanitize-attributes.ts'
import { type LeftOut, sanitizeStyles } from './sanitize-styles.ts'

/** How deep elements may lie in each other. Browsers read no page that is deeper. */
export const MAX_DEPTH = 512
/** How many nodes a page may have, and all events of a replay together may add. */
export const MAX_NODES = 200_000
/** Maximum characters of a text. */
const MAX_CHARS = 2_000_000

/**
 * What a node is: the tag of an element, or one of these. It never changes, so that no text that was shown
 * becomes a style sheet.
 */
export const DOCUMENT = '#document'
const DOCTYPE = '#doctype'
const TEXT = '#text'
const STYLE_TEXT = '#style'
const EMPTY = '#comment'

const HTML =
  /^(html|head|body|title|style|link|meta|article|aside|section|nav|main|header|footer|hgroup|search|address|h[1-6]|p|div|span|a|abbr|acronym|b|bdi|bdo|big|blockquote|br|center|cite|code|data|datalist|dd|del|details|dfn|dialog|dir|dl|dt|em|fieldset|figcaption|figure|font|form|hr|i|iframe|img|input|ins|kbd|label|legend|li|map|area|mark|marquee|menu|meter|nobr|ol|optgroup|option|output|picture|pre|progress|q|rp|rt|ruby|rtc|s|samp|select|selectedcontent|slot|small|strike|strong|sub|summary|sup|table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|textarea|time|tt|u|ul|var|wbr|button|canvas)$/
/** Without scripts, animations, `foreignObject` and everything that loads. */
const SVG =
  /^(svg|a|circle|clippath|defs|desc|ellipse|fe[a-z]{4,20}|filter|g|image|line|lineargradient|marker|mask|metadata|path|pattern|polygon|polyline|radialgradient|rect|stop|style|switch|symbol|text|textpath|title|tspan|use|view)$/
const CUSTOM = /^(?!annotation-xml$|color-profile$|font-face|missing-glyph$)[a-z][\w.]*-[\w.-]*$/
/** Their place is shown as an empty box, if the recorder has noted its size. */
const REPLACED = /^(video|audio|object|embed|applet|canvas)$/
const SHADOW_HOST = /^(article|aside|blockquote|body|div|footer|h[1-6]|header|main|nav|p|section|span)$|-/
/** Instead of an element that is left out. The page of the player hides it. */
export const LEFT_OUT = 'aa-left-out'
export const BOX = 'aa-box'
/** They have no children of their own: a frame has a document. */
const EMPTY_ROLES = new Set([LEFT_OUT, BOX, 'iframe', 'link'])

export type NodeContext = {
  /** The roles of all nodes of the page as it is now, by id. */
  roles: Map<number, string>
  leftOut: LeftOut
  /** Style sheets of which only the address was recorded, by id. Their rules may come later. */
  missingSheets: Set<number>
  /** Counts a node; false when there are too many. */
  count(): boolean
}

/** The role of a node below a parent of this role, or null where it cannot be. */
export function roleOf(node: SnapshotNode, parent: string): string | null {
  if (node.type === NodeType.Document) return parent === 'iframe' || parent === '' ? DOCUMENT : null
  if (node.type === NodeType.DocumentType) return parent === DOCUMENT ? DOCTYPE : null
  if (node.type === NodeType.Element) {
    const tag = tagOf(node)
    return parent === DOCUMENT && tag !== 'html' ? null : tag
  }
  if (parent === DOCUMENT) return null
  if (node.type === NodeType.Text) return parent === 'style' ? STYLE_TEXT : TEXT
  return node.type === NodeType.CDATA || node.type === NodeType.Comment ? EMPTY : null
}

/** The element that is built for a recorded one. */
function tagOf({ tagName, isSVG, attributes }: SnapshotNode): string {
  const tag = typeof tagName === 'string' ? tagName.toLowerCase() : ''
  if (isSVG === true) return SVG.test(tag) ? tag : LEFT_OUT
  // rrweb makes a style element of it when it has rules. Without an address it loads nothing.
  if (tag === 'link') return isStyleSheet(attributes) ? 'link' : LEFT_OUT
  if (REPLACED.test(tag)) return BOX
  return HTML.test(tag) || CUSTOM.test(tag) ? tag : LEFT_OUT
}

/**
 * Returns a node and what is below it as the viewer may build it, or null for one that it cannot build. Every
 * node is built anew from the fields that are known here. Nodes that are left out keep their id and place, as
 * later changes name them.
 */
export function sanitizeNode(
  node: SnapshotNode,
  parent: string,
  depth: number,
  context: NodeContext,
): SnapshotNode | null {
  const role = roleOf(node, parent)
  if (role === null || !isId(node.id) || depth > MAX_DEPTH || !context.count()) return null
  const known = context.roles.get(node.id)
  if (known !== undefined && known !== role) return null
  context.roles.set(node.id, role)
  const common = { id: node.id, ...(isId(node.rootId) && { rootId: node.rootId }) }
  if (role === TEXT || role === STYLE_TEXT) {
    const textContent = sanitizeText(node.textContent, role, context.leftOut)
    return { ...common, type: NodeType.Text, ...isShadowChild(node), textContent }
  }
  if (role === EMPTY) return { ...common, type: NodeType.Comment, textContent: '' }
  if (role === DOCTYPE)
    return { ...common, type: NodeType.DocumentType, name: 'html', publicId: '', systemId: '' }
  if (role === DOCUMENT) return sanitizeDocument(node, common, depth, context)
  return sanitizeElement(node, { role, common, depth }, context)
}

/** A document has one root and at most one type before it. Without a root it cannot be built. */
function sanitizeDocument(
  node: SnapshotNode,
  common: { id: number },
  depth: number,
  context: NodeContext,
): SnapshotNode | null {
  const children = childrenOf(node)
  const root = children.find(child => roleOf(child, DOCUMENT) === 'html')
  const doctype = children.find(child => roleOf(child, DOCUMENT) === DOCTYPE)
  const childNodes = [doctype, root].flatMap(child =>
    child === undefined ? [] : (sanitizeNode(child, DOCUMENT, depth + 1, context) ?? []),
  )
  if (childNodes.at(-1)?.tagName !== 'html') return null
  // A frame is never in quirks mode: for that rrweb writes markup, which the policy allows at the top alone.
  const isQuirky = depth === 0 && node.compatMode === 'BackCompat'
  return { ...common, type: NodeType.Document, ...(isQuirky && { compatMode: 'BackCompat' }), childNodes }
}

function sanitizeElement(
  node: SnapshotNode,
  { role, common, depth }: { role: string; common: { id: number }; depth: number },
  context: NodeContext,
): SnapshotNode {
  const isEmpty = EMPTY_ROLES.has(role) || node.needBlock === true
  const childNodes = isEmpty
    ? []
    : childrenOf(node).flatMap(child => sanitizeNode(child, role, depth + 1, context) ?? [])
  if (role === 'link' && typeof node.attributes?._cssText !== 'string') context.missingSheets.add(node.id)
  return {
    ...common,
    type: NodeType.Element,
    tagName: role,
    attributes: sanitizeAttributes(role, node.attributes, context.leftOut),
    childNodes,
    ...(node.isSVG === true && role !== LEFT_OUT && { isSVG: true }),
    ...(node.isShadowHost === true && SHADOW_HOST.test(role) && { isShadowHost: true }),
    ...isShadowChild(node),
    ...(node.isCustom === true && CUSTOM.test(role) && { isCustom: true }),
    ...(node.needBlock === true && { needBlock: true }),
  }
}

/** Returns the attributes of an element that the viewer may set. */
export function sanitizeAttributes(
  role: string,
  attributes: unknown,
  leftOut: LeftOut,
): NonNullable<SnapshotNode['attributes']> {
  if (role === LEFT_OUT || typeof attributes !== 'object' || attributes === null) return {}
  const clean: NonNullable<SnapshotNode['attributes']> = {}
  for (const [name, value] of Object.entries(attributes)) {
    const result = sanitizeAttribute(role, name, value, leftOut)
    if (result !== undefined) clean[name] = result
  }
  return clean
}

/** Returns a text as the viewer may show it, or set as a style sheet. */
export function sanitizeText(text: unknown, role: string, leftOut: LeftOut): string {
  if (typeof text !== 'string' || text.length > MAX_CHARS) return ''
  return role === STYLE_TEXT ? sanitizeStyles(text, leftOut) : text
}

export function isId(id: unknown): id is number {
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0
}

function isShadowChild({ isShadow }: SnapshotNode): { isShadow?: true } {
  return isShadow === true ? { isShadow: true } : {}
}

function childrenOf(node: SnapshotNode): SnapshotNode[] {
  return list(node.childNodes).filter(child => typeof child === 'object' && child !== null) as SnapshotNode[]
}

function isStyleSheet(attributes: SnapshotNode['attributes'] = {}): boolean {
  return '_cssText' in attributes || /\bstylesheet\b/i.test(String(attributes.rel ?? ''))
}
