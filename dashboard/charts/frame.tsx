import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { formatted } from '#dashboard/format'
import type { Cell, TableData } from './csv.ts'
import { SaveTools } from './save-tools.tsx'

export type ChartFrameProps = {
  name: string
  /** Every number of the chart. Screen readers and the CSV file have it. */
  table: TableData
  children: ComponentChildren
  /** Beside the buttons, such as the legend. */
  legend?: ComponentChildren
}

/** A chart with the table behind it, which everybody can open, and its download as CSV and PNG. */
export function ChartFrame({ name, table, children, legend }: ChartFrameProps) {
  const ref = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <figure class="chart-frame" aria-label={name}>
      <div ref={ref}>{children}</div>
      <figcaption>
        {legend}
        <SaveTools name={name} table={table} element={() => wholeOf(ref.current)}>
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Table
          </button>
        </SaveTools>
      </figcaption>
      <div
        class={isOpen ? 'scroll' : 'hidden'}
        role="region"
        aria-label={`${name} as a table`}
        tabIndex={isOpen ? 0 : -1}
      >
        <DataTable name={name} table={table} />
      </div>
    </figure>
  )
}

/** A table as it is when nothing has to be scrolled to. */
function wholeOf(chart: Element | null): Element | null {
  const scrolled = chart?.querySelector('.scroll > table')
  return scrolled && chart?.querySelectorAll('table').length === 1 ? scrolled : chart
}

/** A number as the reader writes it; dates stay as they are written everywhere. */
function shown(cell: Cell): string {
  return typeof cell === 'number' ? formatted(cell) : (cell ?? '–')
}

export function DataTable({ name, table: { columns, rows } }: { name: string; table: TableData }) {
  return (
    <table class="data" aria-label={name}>
      <thead>
        <tr>
          {columns.map((column, i) => (
            <th key={column} scope="col" class={i > 0 ? 'number' : undefined}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...others], i) => (
          <tr key={`${i} ${first}`}>
            <th scope="row">{shown(first)}</th>
            {others.map((cell, j) => (
              <td key={columns[j + 1]} class="number">
                {shown(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
