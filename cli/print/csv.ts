import { cleanText } from '#core/text/clean-text'
import type { Block, Column, Row } from './blocks.ts'

export type Sheet = { name: string; columns: readonly Column[]; rows: readonly Row[] }

/** Every table and picture of the blocks as a table, the main one first. */
export function sheetsOf(blocks: readonly Block[]): Sheet[] {
  return blocks.flatMap((block): Sheet[] => {
    switch (block.kind) {
      case 'table':
        return block.terminalOnly ? [] : [{ name: block.name, columns: block.columns, rows: block.rows }]
      case 'bars':
        return [{ name: block.name, columns: [block.label, block.value], rows: block.rows }]
      case 'grid': {
        const names = [block.corner, ...block.columns]
        return [
          {
            name: block.name,
            columns: names.map(name => ({ key: name, title: name })),
            rows: block.rows.map(({ label, cells }) =>
              Object.fromEntries(names.map((name, i) => [name, i === 0 ? label : cells[i - 1]])),
            ),
          },
        ]
      }
      default:
        return []
    }
  })
}

/** RFC 4180, with LF as line ends and the keys of the columns in the first line. */
export function csvText({ columns, rows }: Pick<Sheet, 'columns' | 'rows'>): string {
  const lines = [
    columns.map(({ key }) => quotedCell(key)),
    ...rows.map(row => columns.map(({ key }) => quotedCell(row[key]))),
  ]
  return lines.map(cells => cells.join(',')).join('\n')
}

const MAX_CHARS = 10_000

/**
 * A text that a table program would run as a formula begins with an apostrophe, because visitors choose the
 * names of events and pages. Unsafe characters are escapes, as on the terminal.
 */
function quotedCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = cleanText(typeof value === 'string' ? value : JSON.stringify(value), MAX_CHARS)
  const safe = /^[=+@\-\t]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
