import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type Format, formatted } from '#dashboard/format'
import { BarLabel, type BarLabelProps } from './bar-label.tsx'
import type { Cell, LoadWhole, TableData } from './csv.ts'
import { moveByRows, stopOf } from './row-keys.ts'
import { SaveTools } from './save-tools.tsx'

/** A number with its form: the table shows it as the reader writes it, and the CSV file has it as it is. */
export type NumberCell = { value: number | null; as: Format /** Such as a currency. */; unit?: string | null }

export type RankedRow = Omit<BarLabelProps, 'isStop'> & {
  key: string
  /** One for each column; the bar behind the label is `share`, 0 to 1. */
  cells: readonly (NumberCell | ComponentChildren)[]
}

export type RankedProps = {
  name: string
  columns: readonly string[]
  rows: readonly RankedRow[]
  /** What the CSV file has, where that is more than the list shows. */
  table?: TableData
  /** Asks for all rows of the CSV file, where the list shows its first ones. */
  load?: ((progress: (rows: number) => void) => Promise<WholeRanked>) | undefined
}

export type WholeRanked = { rows: readonly RankedRow[]; total?: number | undefined }

/** What the number of a cell is in, where its column has one form. */
const UNITS: Partial<Record<Format, string>> = { rate: '0 to 1', percent: '%', duration: 'ms' }

/** A ranked list with several numbers a row, as a real table. The first column is the label. */
export function Ranked({ name, columns, rows, table, load }: RankedProps) {
  const ref = useRef<HTMLTableElement>(null)
  const [first, ...others] = columns
  const units = [undefined, ...others.map((_, i) => unitOf(rows, i))]
  const shown = { columns, units, rows: rows.map(plainRow) }
  const loadPlain: LoadWhole | undefined =
    load &&
    (async progress => {
      const { rows: all, total } = await load(progress)
      return { rows: all.map(plainRow), total }
    })
  const stop = stopOf(rows)
  return (
    <>
      <div class="scroll tall" role="region" aria-label={name} tabIndex={0}>
        <table class="bars ranked" aria-label={name} ref={ref} onKeyDown={moveByRows}>
          <thead>
            <tr>
              <th scope="col">{first}</th>
              {others.map(column => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, label, title, href, cells, share }, row) => (
              <tr key={key}>
                <BarLabel label={label} title={title} href={href} share={share} isStop={row === stop} />
                {cells.map((cell, i) => (
                  <td key={others[i]} class="number">
                    {isNumber(cell) ? withUnit(formatted(cell.value, cell.as), cell.unit) : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <SaveTools name={name} table={table ?? shown} load={loadPlain} element={() => ref.current} />
    </>
  )
}

function isNumber(cell: NumberCell | ComponentChildren): cell is NumberCell {
  return typeof cell === 'object' && cell !== null && 'as' in cell && 'value' in cell
}

/** The unit of a column; undefined where its rows have several, such as sums of two currencies. */
function unitOf(rows: readonly RankedRow[], column: number): string | undefined {
  const units = rows.map(({ cells }) => {
    const cell = cells[column]
    return isNumber(cell) ? (cell.unit ?? UNITS[cell.as]) : undefined
  })
  return units.every(unit => unit === units[0]) ? units[0] : undefined
}

function withUnit(text: string, unit: string | null | undefined): string {
  return unit === null || unit === undefined ? text : `${text} ${unit}`
}

function plainRow({ title, cells }: RankedRow): readonly Cell[] {
  return [title, ...cells.map(plain)]
}

/** What the CSV file has; a picture in a cell is left out. */
function plain(cell: NumberCell | ComponentChildren): Cell {
  if (isNumber(cell)) return cell.value
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}
