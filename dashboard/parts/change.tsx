import { bucketLabel, formattedChange } from '#dashboard/format'

export type ChangeProps = {
  change: number | null
  isGood: boolean | null
  title?: string
  /** First date of the period before. */
  from?: string | null
  /** Date of the first event; null or undefined: not known. */
  dataFrom?: string | null | undefined
}

/**
 * A change beside a number: an arrow, a sign and a colour, so that each reader can see one of them. If the
 * period before began before the first event, the change would mislead, and is not shown. Null: the number
 * was 0 before.
 */
export function Change({ change, isGood, title, from, dataFrom }: ChangeProps) {
  if (from && dataFrom && from < dataFrom) {
    const reason = `The first event is of ${bucketLabel(dataFrom, 'long')}.`
    return (
      <span class="change none" title={reason}>
        no full period before
      </span>
    )
  }
  // Nothing grows from zero by a part of it, so the zero itself stands there.
  if (change === null)
    return (
      <span class="change none" title={title}>
        0 before
      </span>
    )
  // What is shown as 0% is neither.
  const isUp = change >= 0.005
  const isDown = change <= -0.005
  const kind = !isUp && !isDown ? 'same' : isGood === null ? 'same' : isUp === isGood ? 'good' : 'bad'
  return (
    <span class={`change ${kind}`} title={title}>
      <span aria-hidden="true">{isUp ? '↑' : isDown ? '↓' : '→'}</span>
      {formattedChange(change)}
    </span>
  )
}
