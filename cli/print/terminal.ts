import { cleanText } from '#core/text/clean-text'
import { barLines, sparkline } from './bars.ts'
import type { Block } from './blocks.ts'
import { formatted } from './format.ts'
import { gridLines } from './grid.ts'
import { type Style, styleOf } from './style.ts'
import { tableLines } from './table.ts'
import { treeLines } from './tree.ts'
import { cutTo, fitted, widthOf, wrapped } from './width.ts'

export type Paper = {
  /** Columns of the terminal. */
  width: number
  hasColor: boolean
}

/** Longest line of a text to copy, code points. */
const MAX_SOURCE_CHARS = 4_000
/** Fewer columns than this are no terminal that shows a table. */
const MIN_WIDTH = 24

/** The blocks as text for a terminal, without a line end at the end. No line is wider than the paper. */
export function terminalText(blocks: readonly Block[], paper: Paper): string {
  const width = Math.max(MIN_WIDTH, paper.width)
  const style = styleOf(paper.hasColor)
  const lines: string[] = []
  for (const [i, block] of blocks.entries()) {
    if (block.kind === 'advice' || (block.kind === 'table' && block.csvOnly)) continue
    const title =
      'title' in block && block.title !== undefined ? [style.bold(cutTo(formatted(block.title), width))] : []
    const isApart = title.length > 0 || isWide(block.kind) || isWide(blocks[i - 1]?.kind)
    if (isApart && lines.length > 0) lines.push('')
    lines.push(...title, ...linesOf(block, width, style))
  }
  return lines.join('\n')
}

/** Tables and pictures have an empty line around them; sentences stand together. */
function isWide(kind: Block['kind'] | undefined): boolean {
  return kind !== undefined && ['table', 'bars', 'grid', 'tree', 'facts', 'source', 'diff'].includes(kind)
}

function linesOf(block: Block, width: number, style: Style): string[] {
  switch (block.kind) {
    case 'heading':
      return wrapped(formatted(block.text), width).map(style.bold)
    case 'line':
    case 'advice':
      return wrapped(formatted(block.text), width)
    case 'source':
      return block.text.split('\n').map(each => cleanText(each, MAX_SOURCE_CHARS))
    case 'diff':
      return diffLines(block.text, style)
    case 'spark':
      return [
        cutTo(
          `${formatted(block.label)}  ${sparkline(block.values, width - widthOf(formatted(block.label)) - 2)}`,
          width,
        ),
      ]
    case 'facts':
      return factLines(block.facts, width, style)
    case 'table':
      return tableLines(block, width, style)
    case 'bars':
      return barLines(block, width, style)
    case 'grid':
      return gridLines(block, width, style)
    case 'tree':
      return treeLines(block.nodes, width, style)
  }
}

/** Signs say what is added; colours only repeat it. */
function diffLines(text: string, style: Style): string[] {
  const styles: Record<string, (line: string) => string> = { '+': style.good, '-': style.bad, '@': style.dim }
  return text.split('\n').map(each => {
    const line = cleanText(each.replaceAll('\t', '    '), MAX_SOURCE_CHARS)
    return styles[line.charAt(0)]?.(line) ?? line
  })
}

/** Long values go on below themselves, so that an address can still be read and copied on a wide terminal. */
function factLines(facts: Extract<Block, { kind: 'facts' }>['facts'], width: number, style: Style): string[] {
  const named = facts.map(([label, ...rest]) => [formatted(label), ...rest] as const)
  const labelWidth = Math.min(Math.max(...named.map(([label]) => widthOf(label))), Math.floor(width / 2))
  return named.flatMap(([label, value, as]) => {
    const shown = formatted(value, as)
    const name = style.dim(fitted(label, labelWidth))
    // A terminal wraps a long address itself, so that it can be copied.
    if (as === 'address')
      return labelWidth + 2 + widthOf(shown) <= width ? [`${name}  ${shown}`] : [name.trimEnd(), shown]
    return wrapped(shown, Math.max(8, width - labelWidth - 2)).map(
      (part, i) => `${i === 0 ? name : ' '.repeat(labelWidth)}  ${part}`,
    )
  })
}
