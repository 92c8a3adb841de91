import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { type Format, formatted } from '#dashboard/format'
import type { Cell } from './csv.ts'
import { SaveTools } from './save-tools.tsx'

/** A number with its form: the table shows it as the reader writes it, and the CSV file has it as it is. */
export type NumberCell = { value: number | null; as: Format }

export type RankedRow = {
  key: string
  label: ComponentChildren
  /** The whole text, where `label` is cut. */
  title: string
  /** Where a click leads; absent: the row is no link. */
  href?: string | undefined
  /** One for each column; the bar behind the label is `share`, 0 to 1. */
  cells: readonly (NumberCell | ComponentChildren)[]
  share: number
}

export type RankedProps = { name: string; columns: readonly string[]; rows: readonly RankedRow[] }

/** A ranked list with several numbers a row, as a real table. The first column is the label. */
export function Ranked({ name, columns, rows }: RankedProps) {
  const ref = useRef<HTMLTableElement>(null)
  const [first, ...others] = columns
  const table = { columns, rows: rows.map(({ title, cells }) => [title, ...cells.map(plain)]) }
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
                <th scope="row" title={title}>
                  <span class="bar" style={{ inlineSize: `${share * 100}%` }} aria-hidden="true" />
                  {href === undefined ? (
                    <span class="label">{label}</span>
                  ) : (
                    <a class="label" href={href}>
                      {label}
                    </a>
                  )}
                </th>
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
      <SaveTools name={name} table={table} element={() => ref.current} />
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
