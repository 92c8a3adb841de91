import { insertedBefore, lineEndOf } from './insert.ts'
import { attributes, type Snippet, SPA, scriptTag } from './snippet.ts'

/** No further line of it begins with an `i`, or each of a million imports would be read to the end. */
const IMPORT =
  /^import\b[^'"\r\n\u2028\u2029]*(?:\r?\n(?:[^i'"\r\n\u2028\u2029][^'"\r\n\u2028\u2029]*)?)*['"][^'"\n]+['"];?[ \t]*\r?$/gm
const SCRIPT = 'next/script'
/** Comments and directives. */
const NO_CODE = /\/\*[\s\S]*?(?:\*\/|$)|\/\/.*|^\s*(?:'use [a-z]+'|"use [a-z]+");?/g
const SCRIPT_IMPORT = /import\s+(\w+)\s+from\s+['"]next\/script['"]/

/** A root layout of the app router: the component of next/script after the body, and its import. */
export function withScriptComponent(text: string, snippet: Snippet): string | null {
  const [, known] = SCRIPT_IMPORT.exec(text) ?? []
  const name = known ?? (/\bScript\b/.test(text) ? 'FootfallScript' : 'Script')
  const placed = insertedBefore(text, /<\/html\s*>/, `<${name} ${attributes(snippet, SPA)} />`)
  return placed === null || known !== undefined ? placed : withImport(placed, name)
}

/** The import with the quotes and semicolons of the others, below the last of those at the top. */
function withImport(text: string, name: string): string {
  const last = lastImport(text)
  const eol = lineEndOf(text)
  if (last === undefined) {
    const line = `${importLine(name, SCRIPT, "'")}${eol}${eol}`
    const [start = ''] = /^\ufeff?(\s*(?:'use [a-z]+'|"use [a-z]+");?[ \t]*\r?\n)?/.exec(text) ?? []
    return start + line + text.slice(start.length)
  }
  const quote = last.text.includes('"') ? '"' : "'"
  const semicolon = /;\s*$/.test(last.text) ? ';' : ''
  const line = eol + importLine(name, SCRIPT, quote) + semicolon
  return text.slice(0, last.end) + line + text.slice(last.end)
}

function importLine(names: string, from: string, quote: string): string {
  return `import ${names} from ${quote}${from}${quote}`
}

/** Imports further below may be in a text, such as an example of code. */
function lastImport(text: string): { text: string; end: number } | undefined {
  let last: { text: string; end: number } | undefined
  for (const match of text.matchAll(IMPORT)) {
    const between = text.slice(last?.end ?? 0, match.index).replace(NO_CODE, keepOpenComment)
    if (/\S/.test(between.replace('\ufeff', ''))) break
    const found = match[0].replace(/\r$/, '')
    last = { text: found, end: match.index + found.length }
  }
  return last
}

/** An import after it would be a part of the comment. */
function keepOpenComment(part: string): string {
  return part.startsWith('/*') && (part.length < 4 || !part.endsWith('*/')) ? part : ''
}

/** The document of the pages router: a script tag in its Head, which may be an empty element. */
export function withScriptInHead(text: string, snippet: Snippet): string | null {
  const tag = scriptTag(snippet, SPA)
  const placed = insertedBefore(text, /<\/Head\s*>/, tag)
  if (placed !== null) return placed
  const empty = /^([ \t]*)<Head\s*\/>/m.exec(text)
  if (empty === null) return null
  const [element, indent = ''] = empty
  const eol = lineEndOf(text)
  const step = indent.includes('\t') ? '\t' : '  '
  const full = `${indent}<Head>${eol}${indent}${step}${tag}${eol}${indent}</Head>`
  return text.slice(0, empty.index) + full + text.slice(empty.index + element.length)
}

/** The document for a site without one, as Next describes it. */
export function newDocument(snippet: Snippet): string {
  return `${importLine('{ Head, Html, Main, NextScript }', 'next/document', "'")}

export default function Document() {
  return (
    <Html>
      <Head>
        ${scriptTag(snippet, SPA)}
      </Head>
      <body>
        <Main />
        <NextScript />
      </body>
    </Html>
  )
}
`
}
