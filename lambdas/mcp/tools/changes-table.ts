import { shownChange } from '#schemas/shown-change'
import { tableOf } from './words.ts'

type Delta = { current: number; previous: number; change: number; change_pct: number | null }

/** The first date of the period before, and the date of the first event. */
export type Before = Parameters<typeof shownChange>[1]

/** What a read that compares says of the period before. */
export function beforeOf({
  previous,
  receipt,
}: {
  previous?: { period: { from: string } } | undefined
  receipt?: { data_from: string | null } | undefined
}): Before {
  return { from: previous?.period.from, dataFrom: receipt?.data_from }
}

/** The numbers of two periods. */
export function changesTable(changes: Record<string, Delta>, before: Before) {
  const rows = Object.entries(changes).map(([metric, delta]) => ({
    metric,
    ...delta,
    change_pct: shownChange(delta.change_pct, before),
  }))
  return tableOf('against the period before', rows, ['metric', 'current', 'previous', 'change', 'change_pct'])
}
