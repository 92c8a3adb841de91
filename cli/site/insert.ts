/** Where a line goes into a source, with the indentation and the line ends that are there. */

/** What has the form of a tag and is none: comments, scripts, styles, code of servers and templates. */
const MASKED_STARTS =
  /(<!--)|(<script\b)|(<style\b)|(<\?)|(\{[{%]?-?\s*\/\*)|(\{%-?\s*comment\s*-?%\})|(^---\r?\n)/gi
/** The end of each, in the same order. */
const MASKED_ENDS: readonly RegExp[] = [
  /-->/g,
  /<\/script\s*>/gi,
  /<\/style\s*>/gi,
  /\?>/g,
  /\*\/\s*-?[}%]?\}/g,
  /\{%-?\s*endcomment\s*-?%\}/gi,
  /\n---/g,
]

/** The text with a line before the first match of `tag`; null: there is none outside of comments. */
export function insertedBefore(text: string, tag: RegExp, line: string): string | null {
  const at = withoutMasked(text).search(tag)
  return at < 0 ? null : insertedAt(text, at, line)
}

/**
 * Blanks in the place of what is masked. A start without an end masks nothing. An end that is missing is
 * searched once, because a page may have a million starts.
 */
function withoutMasked(text: string): string {
  const missing = new Set<number>()
  const pieces: string[] = []
  let done = 0
  for (const start of text.matchAll(MASKED_STARTS)) {
    const kind = start.slice(1).findIndex(group => group !== undefined)
    if (start.index < done || missing.has(kind)) continue
    const end = endAfter(text, MASKED_ENDS[kind] as RegExp, start.index + start[0].length)
    if (end === null) {
      missing.add(kind)
      continue
    }
    pieces.push(text.slice(done, start.index), ' '.repeat(end - start.index))
    done = end
  }
  return pieces.join('') + text.slice(done)
}

function endAfter(text: string, pattern: RegExp, from: number): number | null {
  pattern.lastIndex = from
  const end = pattern.exec(text)
  return end === null ? null : end.index + end[0].length
}

/** A place in the middle of a line gets the text there, as in a minified page. */
function insertedAt(text: string, at: number, line: string): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const lead = text.slice(start, at)
  if (/\S/.test(lead)) return text.slice(0, at) + line + text.slice(at)
  const eol = start === 0 ? lineEndOf(text) : text.charAt(start - 2) === '\r' ? '\r\n' : '\n'
  return `${text.slice(0, start)}${indentAbove(text, start, at)}${line}${eol}${text.slice(start)}`
}

/** As the line above, which stands beside the new one; between a tag and its end one step further in. */
function indentAbove(text: string, start: number, at: number): string {
  const lead = text.slice(start, at)
  const above = text.slice(0, start).trimEnd().split('\n').at(-1) ?? ''
  const [indent = ''] = /^[ \t]*/.exec(above.replace('\ufeff', '')) ?? []
  if (indent.length > lead.length) return indent
  const isFirstChild = text.startsWith('</', at) && /^\s*<(head|Head|html)\b[^>]*>$/.test(above)
  return isFirstChild ? lead + stepOf(text, lead) : lead
}

function stepOf(text: string, lead: string): string {
  if (lead.includes('\t') || /\n\t+\S/.test(text)) return '\t'
  const [, smallest = ''] = /\n( {2,8})\S/.exec(text) ?? []
  return smallest
}

/** The line end that the text has already. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** The text with more lines at its end. */
export function appended(text: string, lines: readonly string[]): string {
  const eol = lineEndOf(text)
  const separator = text === '' || text.endsWith('\n') ? '' : eol
  return text + separator + lines.map(line => line + eol).join('')
}
