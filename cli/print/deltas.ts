import type { Format, TableBlock } from './blocks.ts'
import { changeWords, formatted } from './format.ts'

type Delta = { current: number; previous: number; change: number; change_pct: number | null }

/** Numbers of two periods, one a row, with the change as an arrow and a word. */
export function deltaTable(
  name: string,
  deltas: readonly (readonly [label: string, delta: Delta, as: Format])[],
): TableBlock {
  return {
    kind: 'table',
    name,
    columns: [
      { key: 'metric', title: 'Metric' },
      { key: 'now', title: 'Now' },
      { key: 'before', title: 'Before' },
      { key: 'trend', title: 'Change' },
    ],
    rows: deltas.map(([metric, { current, previous, change, change_pct }, as]) => ({
      metric,
      now: formatted(current, as),
      before: formatted(previous, as),
      trend: changeWords(change, change_pct),
    })),
  }
}
