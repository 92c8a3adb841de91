/** Where a line goes into a source, with the indentation and the line ends that are there. */

/** What has the form of a tag and is none: comments, scripts, styles, code of servers and templates. */
const MASKED =
  /<!--[\s\S]*?-->|<script\b[\s\S]*?<\/script\s*>|<style\b[\s\S]*?<\/style\s*>|<\?[\s\S]*?\?>|\{[{%]?-?\s*\/\*[\s\S]*?\*\/\s*-?[}%]?\}|\{%-?\s*comment\s*-?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}|^---\r?\n[\s\S]*?\n---/gi

/** The text with a line before the first match of `tag`; null: there is none outside of comments. */
export function insertedBefore(text: string, tag: RegExp, line: string): string | null {
  const visible = text.replace(MASKED, part => ' '.repeat(part.length))
  const at = visible.search(tag)
  return at < 0 ? null : insertedAt(text, at, line)
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
