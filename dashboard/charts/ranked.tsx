import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Format, formatted } from '#dashboard/format'
import { Change } from '#dashboard/parts/change.tsx'
import { BarLabel, type BarLabelProps } from './bar-label.tsx'
import type { Cell, LoadWhole, TableData } from './csv.ts'
import { moveByRows, stopOf } from './row-keys.ts'
import { matching, nextOrder, type Order, ordered } from './row-order.ts'
import { SaveTools } from './save-tools.tsx'

/** A number with its form: the table shows it as the reader writes it, and the CSV file has it as it is. */
export type NumberCell = {
  value: number | null
  as: Format
  /** Such as a currency. */
  unit?: string | null
}

/**
 * The change of a row against the compared dates, as a part of what was before. `none`: why there is no
 * number, in a word.
 */
/** `isGood`: whether a growth is; null for neither. Absent: it is. */
export type ChangeCell = { change: number | null; none?: string; title: string; isGood?: boolean | null }

/**
 * Several numbers as one text, such as sums of several currencies. `order`: what the column orders the row
 * by.
 */
export type TextCell = { text: string; order: number | null }

type RankedCell = NumberCell | ChangeCell | TextCell | ComponentChildren

export type RankedRow = Omit<BarLabelProps, 'isStop'> & {
  key: string
  /** One for each column; the bar behind the label is `share`, 0 to 1. */
  cells: readonly RankedCell[]
}

export type RankedProps = {
  name: string
  columns: readonly string[]
  rows: readonly RankedRow[]
  /** How many rows the whole list has, where that is known. */
  total?: number | undefined
  /** What the CSV file has, where that is more than the list shows. */
  table?: TableData
  /**
   * Requests for all rows, where the list has its first ones: for the CSV file, a search, an order, or more
   * rows.
   */
  load?: ((progress: (rows: number) => void) => Promise<WholeRanked>) | undefined
}

export type WholeRanked = { rows: readonly RankedRow[]; total?: number | undefined }

/** What the number of a cell is in, where its column has one form. */
const UNITS: Partial<Record<Format, string>> = { rate: '0 to 1', percent: '%', duration: 'ms' }

/** Rows that a list shows at once. Each click on the button below it shows as many more. */
const SHOWN = 50
/** A shorter list is read at a glance, and has no search. */
const SEARCHED_FROM = 11

/**
 * A ranked list with several numbers a row, as a real table. The first column is the label. A reader orders
 * it by any column, searches in it, and shows more of it; what is not loaded yet is asked for then.
 */
export function Ranked(props: RankedProps) {
  return <RankedList key={props.name} {...props} />
}

function RankedList({ name, columns, rows, total, table, load }: RankedProps) {
  const ref = useRef<HTMLTableElement>(null)
  const [order, setOrder] = useState<Order | null>(null)
  const [text, setText] = useState('')
  const [most, setMost] = useState(SHOWN)
  const units = [undefined, ...columns.slice(1).map((_, i) => unitOf(rows, i))]
  const shown = { columns, units, rows: rows.map(plainRow) }
  const loadPlain: LoadWhole | undefined =
    load &&
    (async progress => {
      const { rows: all, total } = await load(progress)
      return { rows: all.map(plainRow), total }
    })
  const isWanted = order !== null || text !== '' || most > SHOWN
  const { whole, problem, tryAgain } = useWhole(JSON.stringify(shown.rows), isWanted ? load : undefined)
  const known = (whole?.rows ?? rows).map(row => ({
    ...{ row, plain: plainRow(row), keys: keysOf(row), words: wordsOf(row) },
  }))
  const found = ordered(matching(known, text), order)
  const listed = found.slice(0, most).map(({ row }) => row)
  const stop = stopOf(listed)
  const isCut = load !== undefined && (whole === null || whole.total !== undefined)
  const all = whole === null || whole.total !== undefined ? (whole?.total ?? total) : undefined
  // A list that cannot ask for more does not know whether its answer is cut; the note below it does.
  const isCounted = isCut || found.length > listed.length || text !== '' || (isWanted && load !== undefined)
  const hasMore = found.length > listed.length || (isCut && whole === null && text === '')
  return (
    <>
      {(rows.length >= SEARCHED_FROM || load !== undefined) && (
        <input
          type="search"
          class="row-search"
          aria-label={`Search in ${name}`}
          placeholder="Search"
          autocomplete="off"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      <div class="scroll tall" role="region" aria-label={name} tabIndex={0}>
        <table class="bars ranked" aria-label={name} ref={ref} onKeyDown={moveByRows}>
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th
                  key={column}
                  scope="col"
                  class={i === 0 ? undefined : 'number'}
                  aria-sort={order?.column === i ? order.direction : undefined}
                >
                  {hasOrder(known, i) ? (
                    <button type="button" class="sort" onClick={() => setOrder(nextOrder(order, i))}>
                      {column}
                    </button>
                  ) : (
                    column
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.map(({ key, label, title, href, cells, share }, row) => (
              <tr key={key}>
                <BarLabel label={label} title={title} href={href} share={share} isStop={row === stop} />
                {cells.map((cell, i) => (
                  <td key={columns[i + 1]} class="number">
                    {shownCell(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <SaveTools name={name} table={table ?? shown} load={loadPlain} element={() => ref.current} />
      {isCounted && (
        <p class="cut more" aria-live="polite">
          {problem ?? countLine({ listed: listed.length, found: found.length, text, all, isCut })}
          {problem !== null ? (
            <button type="button" class="quiet" onClick={tryAgain}>
              Try again
            </button>
          ) : (
            hasMore && (
              <button type="button" class="quiet" onClick={() => setMost(most + SHOWN)}>
                Show more
              </button>
            )
          )}
        </p>
      )}
    </>
  )
}

/**
 * All rows of a list, as soon as they are wanted (`load`); null before. `version`: what the rows are of, so
 * that newer ones are loaded again. `problem`: why they did not come; `tryAgain` asks once more.
 */
function useWhole(version: string, load: RankedProps['load']) {
  const [loaded, setLoaded] = useState<{ version: string; whole: WholeRanked } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [tries, setTries] = useState(0)
  const isWanted = load !== undefined
  useEffect(() => {
    if (load === undefined) return
    let isLeft = false
    setProblem(null)
    load(() => {}).then(
      whole => !isLeft && setLoaded({ version, whole }),
      (error: unknown) => !isLeft && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isLeft = true
    }
  }, [version, isWanted, tries])
  const whole = loaded?.version === version ? loaded.whole : null
  return { whole, problem, tryAgain: () => setTries(tries + 1) }
}

type Counted = { listed: number; found: number; text: string; all: number | undefined; isCut: boolean }

/** Says how many rows are shown, of how many. */
function countLine({ listed, found, text, all, isCut }: Counted): string {
  if (text !== '') {
    const of = isCut ? ' among the first rows' : ''
    return found === 0
      ? `No row has this text${of}.`
      : `${formatted(listed)} of ${formatted(found)} found${of}.`
  }
  if (all === undefined)
    return isCut
      ? `The first ${formatted(listed)} rows.`
      : `${formatted(listed)} of ${formatted(found)} rows.`
  return `${formatted(listed)} of ${formatted(all)} rows.`
}

/** A column of pictures has no order. */
function hasOrder(known: readonly { plain: readonly Cell[] }[], column: number): boolean {
  return known.some(({ plain }) => (plain[column] ?? null) !== null)
}

function wordsOf({ title, label }: RankedRow): string {
  return typeof label === 'string' ? `${title}\n${label}` : title
}

function shownCell(cell: RankedCell): ComponentChildren {
  if (isNumber(cell)) return withUnit(formatted(cell.value, cell.as), cell.unit)
  if (isText(cell)) return cell.text
  if (!isChange(cell)) return cell
  const { change, none = '–', title, isGood = true } = cell
  if (change === null)
    return (
      <span class="change none" title={title}>
        {none}
      </span>
    )
  return <Change change={change} isGood={isGood} title={title} />
}

function isChange(cell: RankedCell): cell is ChangeCell {
  return typeof cell === 'object' && cell !== null && 'change' in cell
}

function isNumber(cell: RankedCell): cell is NumberCell {
  return typeof cell === 'object' && cell !== null && 'as' in cell && 'value' in cell
}

function isText(cell: RankedCell): cell is TextCell {
  return typeof cell === 'object' && cell !== null && 'text' in cell && 'order' in cell
}

/** The unit of a column; undefined where its rows have several, such as sums of two currencies. */
function unitOf(rows: readonly RankedRow[], column: number): string | undefined {
  const units = rows.map(({ cells }) => {
    const cell = cells[column]
    if (isChange(cell)) return UNITS.rate
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

/** What the columns order a row by. */
function keysOf({ title, cells }: RankedRow): readonly Cell[] {
  return [title, ...cells.map(cell => (isText(cell) ? cell.order : plain(cell)))]
}

/** What the CSV file has; a picture in a cell is left out. */
function plain(cell: RankedCell): Cell {
  if (isNumber(cell)) return cell.value
  if (isChange(cell)) return cell.change
  if (isText(cell)) return cell.text
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null
}
