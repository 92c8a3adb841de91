import { FIXED_FIELD } from '#replay/masking/masker'
import { CODE_TAGS, SPREAD_CHARS, SPREAD_NODES } from '#replay/masking/spread'
import { hasOwnText, isSpreadSecret, type Part } from '#replay/masking/spread-secret'

/** Maximum number of texts of an element that are read together. */
const MAX_PARTS = 40

/**
 * Returns whether the texts of a node are masked: by `data-aa-mask` or a selector of the project at the node
 * or above it, also outside of its shadow tree and of its frame, or because the user can edit them. A node
 * that is not in the page is masked.
 */
export function isMaskedInPage(node: Node | null, selector: string): boolean {
  if (!node?.isConnected) return true
  let element = elementOf(node)
  while (element) {
    if (element.closest(selector) || (element as HTMLElement).isContentEditable) return true
    element = hostOf(element)
  }
  return false
}

/** Returns the element that holds the shadow tree or the frame of an element. */
function hostOf(element: Element): Element | null {
  const root = element.getRootNode()
  return 'host' in root ? (root as ShadowRoot).host : frameOf(root as Document)
}

/** Returns whether a node is in a blocked element, also outside of its shadow tree and of its frame. */
export function isBlockedInPage(node: Node | null, selector: string): boolean {
  for (let element = node && elementOf(node); element; element = hostOf(element))
    if (element.closest(selector)) return true
  return false
}

/** Returns the values of all fields of the page that a user types into. */
export function readFields(): string[] {
  const values: string[] = []
  const roots: (Document | ShadowRoot)[] = [document]
  for (let root = roots.pop(); root; root = roots.pop()) {
    for (const element of root.querySelectorAll<HTMLInputElement & HTMLIFrameElement>('*')) {
      const { localName, shadowRoot } = element
      if (shadowRoot) roots.push(shadowRoot)
      if (localName === 'iframe' && element.contentDocument) roots.push(element.contentDocument)
      const isField = localName === 'textarea' || (localName === 'input' && !FIXED_FIELD.test(element.type))
      if (isField && element.value) values.push(element.value)
    }
  }
  return values
}

/** Returns whether a node is masked by a selector of its own, or a document by being editable as a whole. */
export function isMaskedHere(node: Node | null, selector: string): boolean {
  if (!node) return true
  if (node.nodeType === Node.DOCUMENT_NODE) return (node as Document).designMode === 'on'
  return (node as Element).matches(selector)
}

/**
 * Returns the field or editable element that has the focus, also in a shadow tree or a frame, and its text.
 */
export function readFocused(): { element: Element; text: string } | null {
  let element = document.activeElement
  for (let inner = element; inner; inner = activeBelow(inner)) element = inner
  if (!element) return null
  const { value, type, isContentEditable, textContent } = element as HTMLInputElement
  if (/^(input|textarea)$/i.test(element.tagName) && !FIXED_FIELD.test(type)) return { element, text: value }
  return isContentEditable ? { element, text: textContent ?? '' } : null
}

function activeBelow(element: Element): Element | null {
  try {
    return (
      element.shadowRoot?.activeElement ??
      (element as HTMLIFrameElement).contentDocument?.activeElement ??
      null
    )
  } catch {
    return null
  }
}

/** Throws for a selector that the browser does not know: nothing would be masked or blocked by it. */
export function joinSelectors(selectors: readonly string[]): string {
  for (const selector of selectors) document.createDocumentFragment().querySelector(selector)
  return selectors.join(',')
}

function elementOf(node: Node): Element | null {
  if (node.nodeType === Node.ELEMENT_NODE) return node as Element
  if (node.nodeType === Node.DOCUMENT_NODE) return frameOf(node as Document)
  const { parentNode } = node
  if (parentNode === null) return null
  return 'host' in parentNode ? (parentNode as ShadowRoot).host : (parentNode as Element)
}

/** Returns the frame that shows a document, if the page may see it. */
function frameOf(document: Document): Element | null {
  try {
    return document.defaultView?.frameElement ?? null
  } catch {
    return null
  }
}

/**
 * Returns whether the texts of a node look like a secret only together with those beside it. They may be
 * alone in elements of their own: `<span>4111</span><span>1111</span>`.
 */
export function isPartOfSecret(node: Node | null): boolean {
  const parent = node?.parentElement
  return [parent, parent?.parentElement].some(element => element && isSpreadSecret(textsOf(element)))
}

/** Returns the texts of a short element, or none. */
function textsOf(element: Element): Part[] {
  const texts = nodesBelow(element, NodeFilter.SHOW_TEXT, MAX_PARTS) ?? []
  return texts.map(node => ({ text: node.textContent ?? '', owner: ownerOf(node) }))
}

function ownerOf({ parentElement }: Node): Element | null {
  let element = parentElement
  while (element && !hasOwnText(element.localName)) element = element.parentElement
  return element
}

/**
 * Returns whether an element has more text or more nodes than `isSpread` looks at. A part of a recording may
 * have its first nodes only. They may look like a secret when all of them together do not.
 */
export function isLong(node: Node | null): boolean {
  return (
    node !== null && nodesBelow(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, SPREAD_NODES) === null
  )
}

/**
 * Returns the nodes of the kinds `show` below a node that are not code; null if there are more than `max`, or
 * if their texts have more than SPREAD_CHARS characters.
 */
function nodesBelow(node: Node, show: number, max: number): Node[] | null {
  const walker = document.createTreeWalker(node, show, ({ parentNode }) =>
    isCode(parentNode) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  )
  const nodes: Node[] = []
  let chars = 0
  for (let each = walker.nextNode(); each; each = walker.nextNode()) {
    if (each.nodeType === Node.TEXT_NODE) chars += each.textContent?.length ?? 0
    if (nodes.push(each) > max || chars > SPREAD_CHARS) return null
  }
  return nodes
}

function isCode(node: Node | null): boolean {
  return CODE_TAGS.test(node?.nodeName.toLowerCase() ?? '')
}
