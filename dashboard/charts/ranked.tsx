import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type Format, formatted } from '#dashboard/format'
import { BarLabel, type BarLabelProps } from './bar-label.tsx'
import type { Cell, TableData } from './csv.ts'
import { SaveTools } from './save-tools.tsx'

/** A number with its form: the table shows it as the reader writes it, and the CSV file has it as it is. */
export type NumberCell = { value: number | null; as: Format }

export type RankedRow = BarLabelProps & {
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
}

/** A ranked list with several numbers a row, as a real table. The first column is the label. */
export function Ranked({ name, columns, rows, table }: RankedProps) {
  const ref = useRef<HTMLTableElement>(null)
  const [first, ...others] = columns
  const shown = { columns, rows: rows.map(({ title, cells }) => [title, ...cells.map(plain)]) }
  return (
    <>
      <div class="scroll tall" role="region" aria-label={name} tabIndex={0}>
        <table class="bars ranked" aria-label={name} ref={ref}>
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
            {rows.map(({ key, label, title, href, cells, share }) => (
              <tr key={key}>
                <BarLabel label={label} title={title} href={href} share={share} />
                {cells.map((cell, i) => (
                  <td key={others[i]} class="number">
                    {isNumber(cell) ? formatted(cell.value, cell.as) : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <SaveTools name={name} table={table ?? shown} element={() => ref.current} />
    </>
  )
}

function isNumber(cell: NumberCell | ComponentChildren): cell is NumberCell {
  return typeof cell === 'object' && cell !== null && 'as' in cell && 'value' in cell
}

/** What the CSV file has; a picture in a cell is left out. */
function plain(cell: NumberCell | ComponentChildren): Cell {
  if (isNumber(cell)) return cell.value
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}
