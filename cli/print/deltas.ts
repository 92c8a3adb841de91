import { shownChange } from '#schemas/shown-change'
import type { Format, TableBlock } from './blocks.ts'
import { changeWords, formatted } from './format.ts'

type Delta = { current: number; previous: number; change: number; change_pct: number | null }

/**
 * Numbers of two periods, one a row, with the change as an arrow and a word. `before`: the first date of the
 * period before, and the headers of the answer, which say where the data begins.
 */
export function deltaTable(
  name: string,
  deltas: readonly (readonly [label: string, delta: Delta, as: Format])[],
  { from, headers }: { from?: string | undefined; headers: Headers },
): TableBlock {
  const before = { from, dataFrom: dataFromOf(headers) }
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
      trend: changeWords(change, shownChange(change_pct, before)),
    })),
  }
}

/** The date of the first event, from the receipt of a read; undefined where it has none. */
function dataFromOf(headers: Headers): string | undefined {
  return /\bdata_from=(\d{4}-\d{2}-\d{2})/.exec(headers.get('x-footfall-receipt') ?? '')?.[1]
}
