import { niceTicks, spreadIndexes } from './scale.ts'

/** A line of a chart. Null: there is no value, and the line has a gap. */
export type SeriesLine = {
  name: string
  values: readonly (number | null)[]
  isBefore?: boolean
  /** The last value is of an interval that goes on, so it still grows. */
  isUnfinished?: boolean
}
export type Mark = { index: number; title: string }

export type SeriesInput = {
  lines: readonly SeriesLine[]
  /** How many intervals; a line may be shorter. */
  length: number
  width: number
  height: number
  /** Height of the marks below the axis, px. */
  marks?: readonly Mark[]
}

export type DrawnLine = {
  name: string
  isBefore: boolean
  path: string
  /** The way to a last value that still grows; empty without one. */
  tail: string
  area: string
  dots: [x: number, y: number][]
}

export type SeriesDrawing = {
  lines: DrawnLine[]
  yTicks: { value: number; y: number }[]
  xLabels: { index: number; x: number; anchor: 'start' | 'middle' | 'end' }[]
  marks: (Mark & { x: number })[]
  plot: { left: number; right: number; top: number; bottom: number }
  /** The x of an interval, and the interval that is nearest to an x. */
  xOf(index: number): number
  indexAt(x: number): number
}

const [LEFT, RIGHT, TOP, BOTTOM] = [40, 12, 10, 24]
/** Room of one label on the axis of time, px. */
const LABEL_PX = 78

/**
 * Turns values into paths of SVG. More points than pixels are drawn as the lowest and highest of each pixel,
 * so a year by hour costs as much as the width of the picture.
 */
export function drawSeries({ lines, length, width, height, marks = [] }: SeriesInput): SeriesDrawing {
  const plot = {
    left: LEFT,
    right: Math.max(LEFT + 1, width - RIGHT),
    top: TOP,
    bottom: Math.max(TOP + 1, height - BOTTOM),
  }
  const max = lines.reduce(
    (most, { values }) => values.reduce<number>((m, v) => Math.max(m, v ?? 0), most),
    0,
  )
  const ticks = niceTicks(max)
  const top = ticks.at(-1) ?? 1
  const step = length > 1 ? (plot.right - plot.left) / (length - 1) : 0
  const xOf = (index: number) => (length > 1 ? plot.left + index * step : (plot.left + plot.right) / 2)
  const yOf = (value: number) => plot.bottom - (value / top) * (plot.bottom - plot.top)
  const labels = spreadIndexes(length, Math.max(2, Math.floor((plot.right - plot.left) / LABEL_PX)))
  return {
    lines: lines.map(({ name, values, isBefore = false, isUnfinished = false }) => {
      const runs = runsOf(values.slice(0, length), xOf, yOf, step < 1)
      return {
        name,
        isBefore,
        path: (isUnfinished ? withoutLast(runs) : runs).map(lineOf).join(''),
        tail: isUnfinished ? lineOf(runs.at(-1)?.slice(-2) ?? []) : '',
        area: isBefore ? '' : runs.map(run => areaOf(run, plot.bottom)).join(''),
        dots: runs.flatMap(run => (run.length === 1 ? run : [])),
      }
    }),
    yTicks: ticks.map(value => ({ value, y: yOf(value) })),
    xLabels: labels.map((index, i) => ({
      index,
      x: xOf(index),
      anchor: length === 1 ? 'middle' : i === 0 ? 'start' : index >= length - 1 ? 'end' : 'middle',
    })),
    marks: marks.map(mark => ({ ...mark, x: xOf(mark.index) })),
    plot,
    xOf,
    indexAt: x => Math.max(0, Math.min(length - 1, step === 0 ? 0 : Math.round((x - plot.left) / step))),
  }
}

type Point = [x: number, y: number]

/** Points without gaps between them, thinned where they are closer than a pixel. */
function runsOf(
  values: readonly (number | null)[],
  xOf: (index: number) => number,
  yOf: (value: number) => number,
  isDense: boolean,
): Point[][] {
  const runs: Point[][] = []
  let run: Point[] = []
  values.forEach((value, index) => {
    if (value !== null) run.push([xOf(index), yOf(value)])
    else if (run.length > 0) {
      runs.push(run)
      run = []
    }
  })
  if (run.length > 0) runs.push(run)
  return isDense ? runs.map(thinned) : runs
}

/** Of the points of one pixel: the first, the lowest, the highest and the last. */
function thinned(points: readonly Point[]): Point[] {
  const kept: Point[] = []
  for (let start = 0; start < points.length; ) {
    const column = Math.floor((points[start] as Point)[0])
    let [end, low, high] = [start, start, start]
    for (; end < points.length && Math.floor((points[end] as Point)[0]) === column; end++) {
      if ((points[end] as Point)[1] > (points[low] as Point)[1]) low = end
      if ((points[end] as Point)[1] < (points[high] as Point)[1]) high = end
    }
    const indexes = [...new Set([start, ...[low, high].sort((a, b) => a - b), end - 1])]
    for (const index of indexes) kept.push(points[index] as Point)
    start = end
  }
  return kept
}

/** The same runs without the last point of all. */
function withoutLast(runs: readonly Point[][]): Point[][] {
  return [...runs.slice(0, -1), runs.at(-1)?.slice(0, -1) ?? []]
}

function lineOf(points: readonly Point[]): string {
  if (points.length === 0) return ''
  return `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}`
}

function areaOf(points: readonly Point[], bottom: number): string {
  const [first, last] = [points[0] as Point, points.at(-1) as Point]
  return `${lineOf(points)}L${round(last[0])} ${round(bottom)}L${round(first[0])} ${round(bottom)}Z`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
