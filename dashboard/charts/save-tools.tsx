import { type ComponentChildren, createContext, type TargetedKeyboardEvent } from 'preact'
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { formatted } from '#dashboard/format'
import { type LoadWhole, type TableData, toCsv } from './csv.ts'
import { elementToPng, fileName, saveFile } from './save.ts'

/** What a chart or a table is about: its name, and the names of its columns. */
export type About = { name: string; columns: readonly string[] }

/** What stands beside the buttons of every chart and table, such as where its numbers come from. */
export const MoreTools = createContext<(about: About) => ComponentChildren>(() => null)

/**
 * What a saved file is of, beside its own name: words before it and after it, such as the project and the
 * dates, for the name of the file and for the line above a picture.
 */
export const SavedOf = createContext<{ before?: string; dates?: string; file?: string }>({})

export type SaveToolsProps = {
  name: string
  /** Every number, as the CSV file has it. */
  table: TableData
  /** Requests for the rows that the table does not have; absent: it has all. */
  load?: LoadWhole | undefined
  /** The element that PNG draws; absent: there is no picture. */
  element?(): Element | null | undefined
  /** Buttons before them. */
  children?: ComponentChildren
}

/** Saves a chart or a table as CSV and PNG. */
export function SaveTools({ name, table, load, element, children }: SaveToolsProps) {
  const more = useContext(MoreTools)
  const { before, dates, file } = useContext(SavedOf)
  const [came, setCame] = useState<number | null>(null)
  const [said, setSaid] = useState<string | null>(null)
  const savePng = async () => {
    const drawn = element?.()
    const title = [before, name, dates].filter(Boolean).join(' · ')
    if (drawn) saveFile(fileName([before, name, file], 'png'), await elementToPng(drawn, title))
  }
  const saveCsv = async () => {
    setSaid(null)
    try {
      if (load !== undefined) setCame(0)
      const { rows, total } = (await load?.(setCame)) ?? { rows: table.rows }
      const isCut = total !== undefined && total > rows.length
      const all = total === undefined || total === Number.POSITIVE_INFINITY ? 'more' : String(total)
      const part = isCut ? `first-${rows.length}-of-${all}` : undefined
      saveFile(fileName([before, name, file, part], 'csv'), csvBlob({ ...table, rows }))
      if (isCut)
        setSaid(
          all === 'more'
            ? `The file has the first ${formatted(rows.length)} rows. There are more.`
            : `The file has the first ${formatted(rows.length)} of ${formatted(total)} rows.`,
        )
    } catch (error) {
      setSaid(`Nothing was saved: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      setCame(null)
    }
  }
  const bar = useRef<HTMLSpanElement>(null)
  // The buttons are one stop of the Tab key; arrow keys go from one to the next.
  useLayoutEffect(() => {
    const buttons = buttonsOf(bar.current)
    const stop = buttons.find(each => each === document.activeElement) ?? buttons[0]
    for (const each of buttons) each.tabIndex = each === stop ? 0 : -1
  })
  return (
    <span class="tools" role="toolbar" aria-label={`Tools of ${name}`} ref={bar} onKeyDown={moveByArrows}>
      {said !== null && <small role="status">{said}</small>}
      {more({ name, columns: table.columns })}
      {children}
      <button
        type="button"
        class="quiet"
        aria-label={`${name} as CSV`}
        disabled={came !== null}
        onClick={saveCsv}
      >
        {came === null ? 'CSV' : `${formatted(came)} rows …`}
      </button>
      {element !== undefined && (
        <button type="button" class="quiet" aria-label={`${name} as PNG`} onClick={savePng}>
          PNG
        </button>
      )}
    </span>
  )
}

function buttonsOf(bar: Element | null): HTMLButtonElement[] {
  return [...(bar?.querySelectorAll('button') ?? [])]
}

function moveByArrows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  const buttons = buttonsOf(event.currentTarget)
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const next = by === undefined || at === -1 ? undefined : buttons[at + by]
  if (next === undefined) return
  event.preventDefault()
  for (const each of buttons) each.tabIndex = each === next ? 0 : -1
  next.focus()
}

export function csvBlob(table: TableData): Blob {
  return new Blob([toCsv(table)], { type: 'text/csv;charset=utf-8' })
}
