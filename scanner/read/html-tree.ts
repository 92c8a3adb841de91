import { Tokenizer } from 'htmlparser2'
import { closedBy, INERT, RAW_TEXT, VOID } from './html-rules.ts'

/** Elements of one page that are read; the rest is left out and the tree says so. */
export const MAX_ELEMENTS = 100_000
/** Elements below this depth become siblings, as browsers do from 512 on. */
export const MAX_DEPTH = 256
/** Attributes of one element, and characters of a name and of a value. */
export const MAX_ATTRIBUTES = 64
const MAX_NAME_CHARS = 128
export const MAX_VALUE_CHARS = 2_048
/** Characters of all texts of a page, and of one script. */
const MAX_TEXT_CHARS = 2_000_000
const MAX_SCRIPT_CHARS = 200_000
const MAX_SCRIPTS_CHARS = 2_000_000

export type HtmlElement = {
  tag: string
  attributes: ReadonlyMap<string, string>
  parent: HtmlElement | null
  /** Position among the element's siblings of the same tag, from 1, and among all siblings. */
  nthOfType: number
  depth: number
  /** The texts in the element: a range of the list of all texts of the page. */
  firstText: number
  endText: number
  /** The text of a script or a style. */
  script: string
  /** Whether it is in a `template` or `noscript`, so that no visitor sees it. */
  isInert: boolean
  /** The first image in it. */
  firstImage?: HtmlElement
}

export type HtmlPage = {
  /** In the order of the document. */
  elements: HtmlElement[]
  texts: string[]
  /** Whether a bound has cut the page. */
  isCut: boolean
}

type OpenElement = { element: HtmlElement; childrenByTag: Map<string, number> }

/**
 * Reads a page into a list of elements. Time and memory grow in proportion to the page, whatever it holds:
 * the tokenizer of htmlparser2 looks at each character once, and the stack of open elements has a bound, so
 * that no end tag searches far. The parser of htmlparser2 has neither a bound nor a constant step for its
 * stack.
 */
export function parseHtml(html: string): HtmlPage {
  const page: HtmlPage = { elements: [], texts: [], isCut: false }
  const open: OpenElement[] = [{ element: rootElement(), childrenByTag: new Map() }]
  const openTags = new Map<string, number>()
  let tag = ''
  let attributes = new Map<string, string>()
  let name = ''
  let value = ''
  let isTagIgnored = false
  let textChars = 0
  let scriptsChars = 0
  let foreign = 0
  let inert = 0

  function close(): void {
    const { element } = open.pop() as OpenElement
    element.endText = page.texts.length
    openTags.set(element.tag, (openTags.get(element.tag) ?? 1) - 1)
    if (isForeign(element.tag)) foreign -= 1
    if (INERT.has(element.tag)) inert -= 1
  }

  function closeUntil(tagName: string): void {
    if ((openTags.get(tagName) ?? 0) === 0) return
    while (open.length > 1) {
      const closed = (open.at(-1) as OpenElement).element.tag
      close()
      if (closed === tagName) return
    }
  }

  function openTag(isSelfClosed: boolean): void {
    if (isTagIgnored) return
    for (let last = open.at(-1)?.element.tag; last && open.length > 1; last = open.at(-1)?.element.tag) {
      if (!closedBy(tag, last)) break
      close()
    }
    const parent = open.at(-1) as OpenElement
    const nthOfType = (parent.childrenByTag.get(tag) ?? 0) + 1
    parent.childrenByTag.set(tag, nthOfType)
    const element: HtmlElement = {
      tag,
      attributes,
      parent: parent.element.tag === '' ? null : parent.element,
      nthOfType,
      depth: open.length - 1,
      firstText: page.texts.length,
      endText: page.texts.length,
      script: '',
      isInert: inert > 0,
    }
    page.elements.push(element)
    if (tag === 'img') for (const each of open.slice(-2)) each.element.firstImage ??= element
    if (VOID.has(tag) || (isSelfClosed && foreign > 0) || open.length > MAX_DEPTH) return
    open.push({ element, childrenByTag: new Map() })
    openTags.set(tag, (openTags.get(tag) ?? 0) + 1)
    if (isForeign(tag)) foreign += 1
    if (INERT.has(tag)) inert += 1
  }

  function addText(text: string): void {
    const { element } = open.at(-1) as OpenElement
    if (RAW_TEXT.has(element.tag)) {
      const room = Math.min(MAX_SCRIPT_CHARS - element.script.length, MAX_SCRIPTS_CHARS - scriptsChars)
      element.script += text.slice(0, Math.max(0, room))
      scriptsChars += Math.min(text.length, Math.max(0, room))
      return
    }
    if (inert > 0) return
    const kept = text.slice(0, Math.max(0, MAX_TEXT_CHARS - textChars))
    textChars += kept.length
    if (kept.length < text.length) page.isCut = true
    if (kept !== '') page.texts.push(kept)
  }

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => addText(html.slice(start, Math.min(end, start + MAX_TEXT_CHARS))),
      ontextentity: codepoint => addText(String.fromCodePoint(codepoint)),
      onopentagname(start, end) {
        tag = html.slice(start, Math.min(end, start + MAX_NAME_CHARS)).toLowerCase()
        attributes = new Map()
        isTagIgnored = page.elements.length >= MAX_ELEMENTS
        if (isTagIgnored) page.isCut = true
      },
      onopentagend: () => openTag(false),
      onselfclosingtag: () => openTag(true),
      onattribname(start, end) {
        name = html.slice(start, Math.min(end, start + MAX_NAME_CHARS)).toLowerCase()
        value = ''
      },
      onattribdata(start, end) {
        if (value.length >= MAX_VALUE_CHARS) return
        value += html.slice(start, Math.min(end, start + MAX_VALUE_CHARS - value.length))
      },
      onattribentity(codepoint) {
        if (value.length < MAX_VALUE_CHARS) value += String.fromCodePoint(codepoint)
      },
      onattribend() {
        if (attributes.size < MAX_ATTRIBUTES && !attributes.has(name)) attributes.set(name, value)
      },
      onclosetag(start, end) {
        closeUntil(html.slice(start, Math.min(end, start + MAX_NAME_CHARS)).toLowerCase())
      },
      isInForeignContext: () => foreign > 0,
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  while (open.length > 1) close()
  return page
}

/** The text of an element, white space as one space, cut to `maxChars`. */
export function textOf(page: HtmlPage, element: HtmlElement, maxChars: number): string {
  let text = ''
  for (let i = element.firstText; i < element.endText && text.length < 2 * maxChars; i++) {
    text += `${(page.texts[i] ?? '').slice(0, 4 * maxChars)} `.replace(/\s+/g, ' ')
  }
  return text.replace(/\s+/g, ' ').trim().slice(0, maxChars)
}

function ignore(): void {}

function isForeign(tag: string): boolean {
  return tag === 'svg' || tag === 'math'
}

function rootElement(): HtmlElement {
  return {
    tag: '',
    attributes: new Map(),
    parent: null,
    nthOfType: 1,
    depth: 0,
    firstText: 0,
    endText: 0,
    script: '',
    isInert: false,
  }
}
