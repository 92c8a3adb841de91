/** What was left out of a recording, because the viewer loads nothing. */
export type LeftOut = { images: number; fonts: number }

export function nothingLeftOut(): LeftOut {
  return { images: 0, fonts: 0 }
}

/** Images that hold their pixels, or a drawing: a browser loads nothing for a drawing that is an image. */
export const IMAGE_DATA =
  /^data:image\/(png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)[;,]/i
/** The address of an element of the same document, as of a gradient. */
export const FRAGMENT = /^#[\w.:-]{1,200}$/
/** An image that is empty. */
export const NO_IMAGE = 'data:,'

/**
 * The ends of names of functions that take an address, also as a text or through a variable. Browsers
 * disagree which characters above ASCII belong to a name, so any of them may stand before it.
 */
const LOADING =
  /(?:^|[^\w-])(?:url|src|image|(?:-webkit-|-moz-)?image-set|expression|paint|-moz-element|-moz-image-rect)$/
const ADDRESS = /(?:^|[^\w-])url$/
/** Rules that load something, or that change what names mean. A font is not loaded, so it is replaced. */
const DROPPED_RULES = /^(import|charset|namespace|font-face|(-moz-)?document)$/
const NAME_START = /[a-zA-Z_\-\\\u0080-\uffff]/
/** A part of a name: engines give up on a repetition of millions of characters. */
const NAME_CHARS =
  /(?:[\w\-\u0080-\uffff]|\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\r\n\f0-9a-fA-F])){1,1000}/y
const ESCAPE = /\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|([\s\S]))/g
const WHITE = /[ \t\r\n\f]/
/** How rrweb marks where the texts of a style element end. */
const SPLIT = '/* rr_split */'

/**
 * Returns a style sheet, a declaration or a value that loads nothing: addresses become empty, except images
 * that hold their data and elements of the document; rules that load are left out. It reads the tokens of
 * CSS, because escapes, comments and texts hide an address from a pattern.
 */
export function sanitizeStyles(css: string, leftOut: LeftOut = nothingLeftOut()): string {
  if (!/[\\@(]/.test(css)) return css
  const parts: string[] = []
  let at = 0
  while (at < css.length) {
    const char = css[at]!
    if (char === '/' && css[at + 1] === '*') {
      const end = endOfComment(css, at)
      parts.push(css.slice(at, end) === SPLIT ? SPLIT : ' ')
      at = end
    } else if (char === '"' || char === "'") {
      const end = endOfText(css, at)
      parts.push(css.slice(at, end))
      at = end
    } else if (char === '@') {
      const name = readName(css, at + 1)
      if (DROPPED_RULES.test(name.text)) {
        if (name.text === 'font-face') leftOut.fonts++
        at = endOfRule(css, name.end)
        parts.push(' ')
      } else {
        parts.push(css.slice(at, name.end))
        at = name.end
      }
    } else if (NAME_START.test(char)) {
      const name = readName(css, at)
      if (css[name.end] !== '(' || !LOADING.test(name.text)) {
        // A backslash at the end of a line starts no name.
        const end = Math.max(name.end, at + 1)
        parts.push(css.slice(at, end))
        at = end
      } else if (ADDRESS.test(name.text)) {
        const address = readAddress(css, name.end + 1)
        parts.push(`url("${cleanAddress(address.text, leftOut)}")`)
        at = address.end
      } else {
        leftOut.images++
        parts.push('none')
        at = endOfBlock(css, name.end)
      }
    } else {
      parts.push(char)
      at++
    }
  }
  return parts.join('')
}

function cleanAddress(address: string, leftOut: LeftOut): string {
  const text = address.trim()
  if (IMAGE_DATA.test(text) || FRAGMENT.test(text)) {
    return text.replace(/["\\\r\n\f]/g, char => `\\${char.codePointAt(0)!.toString(16)} `)
  }
  if (text !== '' && text !== NO_IMAGE) leftOut.images++
  return NO_IMAGE
}

/** Reads a name, with its escapes resolved, in small letters. It may be empty. */
function readName(css: string, from: number): { text: string; end: number } {
  let end = from
  NAME_CHARS.lastIndex = from
  // After a failure lastIndex is 0.
  while (NAME_CHARS.test(css)) end = NAME_CHARS.lastIndex
  return { text: resolveEscapes(css.slice(from, end)).toLowerCase(), end }
}

/** Reads what stands in `url(`, also where the style sheet ends within it. */
function readAddress(css: string, from: number): { text: string; end: number } {
  let at = from
  while (at < css.length && WHITE.test(css[at]!)) at++
  if (css[at] === '"' || css[at] === "'") {
    const end = endOfText(css, at)
    const isClosed = css[end - 1] === css[at] && end - 1 > at
    const text = css.slice(at + 1, isClosed ? end - 1 : end)
    return { text: resolveEscapes(text), end: endOfBlock(css, from - 1) }
  }
  const start = at
  while (at < css.length && css[at] !== ')') at += css[at] === '\\' ? 2 : 1
  return { text: resolveEscapes(css.slice(start, at)), end: Math.min(at + 1, css.length) }
}

function resolveEscapes(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPE, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char === '\n' ? '' : (char ?? '')
    const code = Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
  })
}

function endOfComment(css: string, from: number): number {
  const end = css.indexOf('*/', from + 2)
  return end === -1 ? css.length : end + 2
}

/** A text ends at its quote, or at the end of the line, which makes it invalid. */
function endOfText(css: string, from: number): number {
  let at = from + 1
  while (at < css.length) {
    const char = css[at]!
    if (char === '\\') at += 2
    else if (char === css[from]) return at + 1
    else if (char === '\n' || char === '\r' || char === '\f') return at
    else at++
  }
  return css.length
}

/** Returns where the block ends whose opening bracket stands at `from`. */
function endOfBlock(css: string, from: number): number {
  let depth = 0
  let at = from
  while (at < css.length) {
    const char = css[at]!
    if (char === '"' || char === "'") at = endOfText(css, at)
    else if (char === '/' && css[at + 1] === '*') at = endOfComment(css, at)
    else {
      if (char === '(' || char === '{' || char === '[') depth++
      if (char === ')' || char === '}' || char === ']') depth--
      at += char === '\\' ? 2 : 1
      if (depth === 0) return at
    }
  }
  return css.length
}

/** Returns where a rule ends: after its semicolon or its block, or before the end of the block around it. */
function endOfRule(css: string, from: number): number {
  let at = from
  while (at < css.length) {
    const char = css[at]!
    if (char === ';') return at + 1
    if (char === '}') return at
    if (char === '{') return endOfBlock(css, at)
    if (char === '"' || char === "'") at = endOfText(css, at)
    else if (char === '/' && css[at + 1] === '*') at = endOfComment(css, at)
    else if (char === '(' || char === '[') at = endOfBlock(css, at)
    else at += char === '\\' ? 2 : 1
  }
  return css.length
}
