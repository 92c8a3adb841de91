import { bucketLabel } from '#dashboard/format'

/**
 * Why nothing is compared with a period that began before the first event: the change would mislead. Null: it
 * is compared. `from`: the first date of that period.
 */
export function whyNoChange(
  from: string | null | undefined,
  dataFrom: string | null | undefined,
): string | null {
  if (!from || !dataFrom || from >= dataFrom) return null
  return `No change is shown, because the first event is of ${bucketLabel(dataFrom, 'long')}.`
}
