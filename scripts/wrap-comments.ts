import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from '@babel/parser'

/**
 * Wraps comments at 110 columns, which Biome leaves as they are. `npm run lint` fails for a comment that is
 * wider, and `npm run format` wraps it. Only a paragraph with a line that is too wide changes.
 */

const WIDTH = 110
/** What begins a part of its own: a list item, an option, a row, a tag, a fence, code. */
const PART_START = /^(--?[ \w]|[|@]|```|\d+\. |\s{4})/
const IGNORED = ['**/node_modules/**', 'build/**', 'cdk.out/**', 'test/fixtures/**']

type Comment = { type: 'CommentBlock' | 'CommentLine'; value: string; start: number; end: number }

/** Returns the source with its comments wrapped. A comment beside code stays as it is. */
export function wrapComments(source: string): string {
  const plugins = ['typescript', 'jsx', 'explicitResourceManagement'] as const
  const { comments } = parse(source, {
    sourceType: 'module',
    plugins: [...plugins],
    errorRecovery: true,
  })
  const own = ((comments ?? []) as Comment[]).filter(comment => hasOwnLines(source, comment))
  return joinLineComments(source, own)
    .toReversed()
    .reduce((text, block) => {
      const wrapped = wrapBlock(text.slice(block.start, block.end), columnOf(source, block.start))
      return text.slice(0, block.start) + wrapped + text.slice(block.end)
    }, source)
}

type Range = { start: number; end: number }

/** Comments of `//` that follow each other in the same column are one text. */
function joinLineComments(source: string, comments: readonly Comment[]): Range[] {
  const blocks: (Range & { isLine: boolean })[] = []
  for (const { type, start, end } of comments) {
    const last = blocks.at(-1)
    const isLine = type === 'CommentLine'
    const isNext =
      last?.isLine &&
      isLine &&
      /^\n[ ]*$/.test(source.slice(last.end, start)) &&
      columnOf(source, last.start) === columnOf(source, start)
    if (last !== undefined && isNext) last.end = end
    else blocks.push({ start, end, isLine })
  }
  return blocks
}

function wrapBlock(comment: string, column: number): string {
  if (!comment.split('\n').some((line, i) => width(line, i === 0 ? column : 0) > WIDTH)) return comment
  const indent = ' '.repeat(column)
  if (comment.startsWith('//')) {
    const texts = comment.split('\n').map(line => line.trim().replace(/^\/\/ ?/, ''))
    return wrapTexts(texts, WIDTH - column - 3)
      .map(text => `//${text === '' ? '' : ` ${text}`}`)
      .join(`\n${indent}`)
  }
  const open = comment.startsWith('/**') ? '/**' : '/*'
  const texts = comment
    .slice(open.length, -2)
    .split('\n')
    .map(line => line.trim().replace(/^\* ?/, ''))
  if (texts[0] === '') texts.shift()
  if (texts.at(-1)?.trim() === '') texts.pop()
  const lines = wrapTexts(texts, WIDTH - column - 3).map(text => ` *${text === '' ? '' : ` ${text}`}`)
  return [open, ...lines, ' */'].join(`\n${indent}`)
}

/** Wraps each paragraph, list item or other part by itself, if one of its lines is too wide. */
function wrapTexts(texts: readonly string[], limit: number): string[] {
  const parts: string[][] = []
  for (const text of texts) {
    const part = parts.at(-1)
    const isContinued = part !== undefined && part.at(-1) !== '' && text !== '' && !PART_START.test(text)
    if (isContinued && !/^(\||biome-ignore)/.test(part[0] ?? '')) part.push(text)
    else parts.push([text])
  }
  return parts.flatMap(part => (part.some(text => text.length > limit) ? wrapPart(part, limit) : part))
}

function wrapPart(part: readonly string[], limit: number): string[] {
  const first = part[0] ?? ''
  // The lines of tables, of code and for Biome have a meaning of their own.
  if (/^(\||biome-ignore|\s{4})/.test(first)) return [...part]
  const hanging = /^(- |--\w|\d+\. )/.test(first) ? '  ' : ''
  const words = part.flatMap(text => text.trim().split(/\s+/))
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= limit)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(lines.length === 0 ? word : hanging + word)
  }
  return lines
}

/** Whether nothing but the comment stands in its lines. */
function hasOwnLines(source: string, { start, end }: Range): boolean {
  const before = source.slice(source.lastIndexOf('\n', start - 1) + 1, start)
  return before.trim() === '' && /^[ \t]*(\n|$)/.test(source.slice(end))
}

function columnOf(source: string, index: number): number {
  return index - source.lastIndexOf('\n', index - 1) - 1
}

function width(line: string, column: number): number {
  return column + line.length
}

function main(isWriting: boolean): void {
  const paths = globSync('**/*.{ts,tsx}', { exclude: IGNORED })
  const wide = paths.filter(path => {
    const source = readFileSync(path, 'utf8')
    const wrapped = wrapComments(source)
    if (wrapped !== source && isWriting) writeFileSync(path, wrapped)
    return wrapped !== source
  })
  if (wide.length === 0 || isWriting) return
  for (const path of wide) console.error(`${path}: a comment is wider than ${WIDTH} columns`)
  console.error('Run `npm run format`.')
  process.exitCode = 1
}

if (import.meta.main) main(process.argv.includes('--write'))
