/** The largest percentage that clients show against a period of which the data covers a part, or nothing. */
const MOST_PCT = 999

/** What clients show instead: so many times of a few first events say nothing. */
export const NEW = 'new'

/**
 * A change as clients show it: a percentage, null from 0, or `new` where the period before began before the
 * first event and the percentage is above 999 (U96). `from`: the first date of the period before; `dataFrom`:
 * the date of the first event. Both as YYYY-MM-DD.
 */
export function shownChange(
  changePct: number | null,
  { from, dataFrom }: { from?: string | undefined; dataFrom?: string | null | undefined },
): number | null | typeof NEW {
  const isPartial = from !== undefined && dataFrom != null && from < dataFrom
  return isPartial && changePct !== null && changePct > MOST_PCT ? NEW : changePct
}
