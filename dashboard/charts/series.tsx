import { useMemo, useState } from 'preact/hooks'
import { drawSeries, type Mark, type SeriesLine } from './series-drawing.ts'
import { useWidth } from './use-width.ts'

export type SeriesProps = {
  /** What the chart shows, for screen readers: `Visitors by day`. */
  name: string
  /** A label of each interval, short for the axis and long for the reader's finger. */
  labels: readonly { short: string; long: string }[]
  lines: readonly SeriesLine[]
  marks?: readonly Mark[]
  format(value: number): string
  /** A value on the axis, where 32 px of room are; absent: as `format`. */
  formatShort?(value: number): string
  height?: number
}

/** Lines over time. Arrow keys move the reading line; the table behind the chart has every number. */
export function SeriesChart({ name, labels, lines, marks = [], format, ...more }: SeriesProps) {
  const { formatShort = format, height = 240 } = more
  const { ref, width } = useWidth<HTMLDivElement>()
  const [at, setAt] = useState<number | null>(null)
  const length = labels.length
  const drawing = useMemo(
    () => drawSeries({ lines, length, width, height, marks }),
    [lines, length, width, height, marks],
  )
  const { plot } = drawing
  const move = (event: PointerEvent) =>
    setAt(drawing.indexAt(event.clientX - (event.currentTarget as Element).getBoundingClientRect().left))
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -length, End: length }[event.key]
    if (by === undefined) return
    event.preventDefault()
    setAt(known => Math.max(0, Math.min(length - 1, (known ?? (by > 0 ? -1 : length)) + by)))
  }
  const read = at === null || at >= length ? null : at
  return (
    <div class="chart series" ref={ref}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${name}. Use the arrow keys to read values.`}
        tabIndex={0}
        onPointerMove={move}
        onPointerLeave={() => setAt(null)}
        onKeyDown={step}
        onBlur={() => setAt(null)}
      >
        {drawing.yTicks.map(({ value, y }) => (
          <g key={value}>
            <line class="gridline" x1={plot.left} x2={plot.right} y1={y} y2={y} />
            <text class="axis" x={plot.left - 8} y={y + 4} text-anchor="end">
              {formatShort(value)}
            </text>
          </g>
        ))}
        {drawing.xLabels.map(({ index, x, anchor }) => (
          <text key={index} class="axis" x={x} y={height - 6} text-anchor={anchor}>
            {labels[index]?.short}
          </text>
        ))}
        {drawing.marks.map(({ index, x, title }) => (
          <g key={`${index}${title}`} class="mark">
            <line x1={x} x2={x} y1={plot.top} y2={plot.bottom} />
            <path d={`M${x - 5} ${plot.top}h10l-5 7z`}>
              <title>{title}</title>
            </path>
          </g>
        ))}
        {drawing.lines.map(({ name: line, isBefore, path, tail, area, dots }) => (
          <g key={line} class={isBefore ? 'line before' : 'line now'}>
            {area !== '' && <path class="area" d={area} />}
            <path class="stroke" d={path} />
            {tail !== '' && <path class="stroke tail" d={tail} />}
            {dots.map(([x, y]) => (
              <circle key={x} class="dot" cx={x} cy={y} r={3} />
            ))}
          </g>
        ))}
        {read !== null && (
          <line
            class="reading"
            x1={drawing.xOf(read)}
            x2={drawing.xOf(read)}
            y1={plot.top}
            y2={plot.bottom}
          />
        )}
      </svg>
      {read !== null && (
        <div
          class={drawing.xOf(read) > width / 2 ? 'readout left' : 'readout'}
          style={{ insetInlineStart: `${drawing.xOf(read)}px` }}
          aria-live="polite"
        >
          <strong>{labels[read]?.long}</strong>
          {lines.map(({ name: line, values, isBefore }) => (
            <span key={line} class={isBefore ? 'before' : 'now'}>
              <i aria-hidden="true" />
              {line}
              <b>{values[read] === null || values[read] === undefined ? '–' : format(values[read])}</b>
            </span>
          ))}
          {marks
            .filter(({ index }) => index === read)
            .map(({ title }) => (
              <em key={title}>{title}</em>
            ))}
        </div>
      )}
    </div>
  )
}
