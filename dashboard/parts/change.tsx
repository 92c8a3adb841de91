import { formattedChange } from '#dashboard/format'

/** A change beside a number: an arrow, a sign and a colour, so that no one of them is needed alone. */
export function Change({
  change,
  isGood,
  title,
}: {
  change: number | null
  isGood: boolean | null
  title?: string
}) {
  if (change === null) return <span class="change none">{title === undefined ? '' : 'no earlier data'}</span>
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
