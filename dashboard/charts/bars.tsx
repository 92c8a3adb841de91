import { useRef } from 'preact/hooks'
import { BarLabel, type BarLabelProps } from './bar-label.tsx'
import type { LoadWhole, TableData } from './csv.ts'
import { moveByRows, stopOf } from './row-keys.ts'
import { SaveTools } from './save-tools.tsx'

export type Bar = Omit<BarLabelProps, 'share' | 'isStop'> & {
  key: string
  value: number
  /** Shown after the value, quieter. */
  note?: string
}

export type BarsProps = {
  name: string
  columns: readonly [string, string]
  bars: readonly Bar[]
  format(value: number): string
  /** What the CSV file has, where that is more than the list shows. */
  table?: TableData
  /** Requests for all rows of it, where it has the first ones. */
  load?: LoadWhole | undefined
}

/** A ranked list as a real table, with a bar behind each row. Bars are parts of the largest value. */
export function Bars({ name, columns, bars, format, table, load }: BarsProps) {
  const ref = useRef<HTMLTableElement>(null)
  const max = bars.reduce((most, { value }) => Math.max(most, value), 0)
  const stop = stopOf(bars)
  return (
    <>
      <table class="bars" aria-label={name} ref={ref} onKeyDown={moveByRows}>
        <thead>
          <tr>
            <th scope="col">{columns[0]}</th>
            <th scope="col" class="number">
              {columns[1]}
            </th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ key, label, title, value, note, href }, i) => (
            <tr key={key}>
              <BarLabel
                label={label}
                title={title}
                href={href}
                share={max === 0 ? 0 : value / max}
                isStop={i === stop}
              />
              <td class="number">
                {format(value)} {note !== undefined && <small>{note}</small>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <SaveTools
        name={name}
        table={table ?? { columns, rows: bars.map(({ title, value }) => [title, value]) }}
        load={load}
        element={() => ref.current}
      />
    </>
  )
}
