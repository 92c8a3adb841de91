/** Round values from 0 to at least `max`, at most `most` steps apart: 0, 50, 100, 150. */
export function niceTicks(max: number, most = 4): number[] {
  if (!(max > 0)) return [0, 1]
  const rough = max / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(each => each >= rough) ?? 10 * power
  const ticks = [0]
  while ((ticks.at(-1) as number) < max) ticks.push(Number((step * ticks.length).toPrecision(12)))
  return ticks
}

/** Evenly spread indexes of a list, always with the first one: at most `most` of `length`. */
export function spreadIndexes(length: number, most: number): number[] {
  if (length <= 0 || most <= 0) return []
  const step = Math.max(1, Math.ceil(length / most))
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => i * step)
}
