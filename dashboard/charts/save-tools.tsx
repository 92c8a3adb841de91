import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type TableData, toCsv } from './csv.ts'
import { elementToPng, saveFile } from './save.ts'

/** What a chart or a table is about: its name, and the names of its columns. */
export type About = { name: string; columns: readonly string[] }

/** What stands beside the buttons of every chart and table, such as where its numbers come from. */
export const MoreTools = createContext<(about: About) => ComponentChildren>(() => null)

export type SaveToolsProps = {
  name: string
  /** Every number, as the CSV file has it. */
  table: TableData
  /** The element that PNG draws. */
  element(): Element | null | undefined
  /** Buttons before them. */
  children?: ComponentChildren
}

/** Saves a chart or a table as CSV and PNG. */
export function SaveTools({ name, table, element, children }: SaveToolsProps) {
  const more = useContext(MoreTools)
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const savePng = async () => {
    const drawn = element()
    if (drawn) saveFile(`${file}.png`, await elementToPng(drawn))
  }
  return (
    <span class="tools">
      {more({ name, columns: table.columns })}
      {children}
      <button
        type="button"
        class="quiet"
        aria-label={`${name} as CSV`}
        onClick={() => saveFile(`${file}.csv`, csvBlob(table))}
      >
        CSV
      </button>
      <button type="button" class="quiet" aria-label={`${name} as PNG`} onClick={savePng}>
        PNG
      </button>
    </span>
  )
}

export function csvBlob(table: TableData): Blob {
  return new Blob([toCsv(table)], { type: 'text/csv' })
}
