import { tableOf } from './words.ts'

type Delta = { current: number; previous: number; change: number; change_pct: number | null }

/** The numbers of two periods. */
export function changesTable(changes: Record<string, Delta>) {
  const rows = Object.entries(changes).map(([metric, delta]) => ({ metric, ...delta }))
  return tableOf('against the period before', rows, ['metric', 'current', 'previous', 'change', 'change_pct'])
}
