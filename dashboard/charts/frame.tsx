import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type TableData, toCsv } from './csv.ts'
import { saveFile, svgToPng } from './save.ts'

export type ChartFrameProps = {
  name: string
  /** Every number of the chart. Screen readers and the CSV file have it. */
  table: TableData
  children: ComponentChildren
  /** Beside the buttons, such as the legend. */
  legend?: ComponentChildren
  /** false: the chart is made of elements and not of SVG, so there is no picture to save. */
  hasPicture?: boolean
}

/** A chart with the table behind it, which everybody can open, and its download as CSV and PNG. */
export function ChartFrame({ name, table, children, legend, hasPicture = true }: ChartFrameProps) {
  const ref = useRef<HTMLElement>(null)
  const [isOpen, setOpen] = useState(false)
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const savePng = async () => {
    const svg = ref.current?.querySelector('svg')
    if (svg) saveFile(`${file}.png`, await svgToPng(svg))
  }
  return (
    <figure class="chart-frame" ref={ref} aria-label={name}>
      {children}
      <figcaption>
        {legend}
        <span class="tools">
          <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Table
          </button>
          <button type="button" class="quiet" onClick={() => saveFile(`${file}.csv`, csvBlob(table))}>
            CSV
          </button>
          {hasPicture && (
            <button type="button" class="quiet" onClick={savePng}>
              PNG
            </button>
          )}
        </span>
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

export function csvBlob(table: TableData): Blob {
  return new Blob([toCsv(table)], { type: 'text/csv' })
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
            <th scope="row">{first ?? '–'}</th>
            {others.map((cell, j) => (
              <td key={columns[j + 1]} class="number">
                {cell ?? '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
