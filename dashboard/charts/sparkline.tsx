/** A small line without axes, beside a number that says the same in words. */
export function Sparkline({
  values,
  width = 96,
  height = 24,
}: {
  values: readonly number[]
  width?: number
  height?: number
}) {
  const max = Math.max(1, ...values)
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0
  const points = values.map(
    (value, i) => `${(1 + i * step).toFixed(1)} ${(height - 2 - (value / max) * (height - 4)).toFixed(1)}`,
  )
  return (
    <svg
      class="chart sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      <path class="stroke" d={`M${points.join('L')}`} />
    </svg>
  )
}
