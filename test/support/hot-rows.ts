import type { EventsRecord } from '#core/ingest/record'
import { type HotColumns, hotColumnsOf } from '#core/lake/consume/hot-columns'
import { type ColumnOf, tables } from '#schemas/columns'

/** A row of events_hot by column name. */
export type HotRow = Record<ColumnOf<'events_hot'>, string | number | bigint | null>

/** The rows of a record, in the order of its events. */
export function toHotRows(record: EventsRecord): HotRow[] {
  return rowsOfColumns(hotColumnsOf([record]))
}

/** The rows, in the order in which they were added. */
export function rowsOfColumns(hot: HotColumns): HotRow[] {
  const columns = hot.columns()
  return Array.from({ length: hot.rowCount() }, (_, row) => {
    const read = (name: ColumnOf<'events_hot'>) => {
      const column = columns.get(name)
      if (column === undefined) return null
      if ('texts' in column) return column.texts[column.numbers[row] as number]?.toString() ?? null
      if ('longs' in column) return column.longs[row] === -1n ? null : (column.longs[row] as bigint)
      return Number.isNaN(column.values[row]) ? null : (column.values[row] as number)
    }
    return Object.fromEntries(tables.events_hot.columns.map(({ name }) => [name, read(name)])) as HotRow
  })
}
