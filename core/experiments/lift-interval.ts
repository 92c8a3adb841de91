import { integrate, posteriorsOf, type VariantOutcome } from './posteriors.ts'

/** The part of the posterior that lies on each side of the interval: 2.5 %, so the interval has 95 %. */
const TAIL = 0.025
/** Halvings of the search for an end: its error is then far below the three decimals that are shown. */
const HALVINGS = 40
/** The largest lift that is searched. Without a conversion of the baseline no finite end exists. */
const MAX_LIFT = 1_000

/**
 * The interval that has the lift of a variant over a baseline with a probability of 95 %: [low, high], as
 * parts of the baseline's rate. The probability that the lift is at most l is the integral of f(x) F((1 + l)
 * x), with the density f of the baseline's rate and the distribution function F of the variant's rate
 * (posteriors.ts).
 */
export function liftInterval(variant: VariantOutcome, baseline: VariantOutcome): [low: number, high: number] {
  const { points, posteriors } = posteriorsOf([variant, baseline])
  const distribution = posteriors[0]?.distribution ?? []
  const density = posteriors[1]?.density ?? []

  function probabilityUpTo(lift: number): number {
    const integrand = points.map(
      (x, i) => (density[i] ?? 0) * interpolate(points, distribution, (1 + lift) * x),
    )
    return integrate(points, integrand).at(-1) ?? 0
  }

  function quantile(probability: number): number {
    let [low, high] = [-1, 1]
    while (probabilityUpTo(high) < probability && high < MAX_LIFT) high *= 2
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2
      if (probabilityUpTo(middle) < probability) low = middle
      else high = middle
    }
    return (low + high) / 2
  }

  return [quantile(TAIL), quantile(1 - TAIL)]
}

/** The value at x between the given points, on a straight line; that of the last point beyond it. */
function interpolate(points: readonly number[], values: readonly number[], x: number): number {
  if (x >= (points.at(-1) ?? 0)) return values.at(-1) ?? 0
  let [first, last] = [0, points.length - 1]
  while (last - first > 1) {
    const middle = (first + last) >> 1
    if ((points[middle] ?? 0) <= x) first = middle
    else last = middle
  }
  const [from = 0, to = 1] = [points[first], points[last]]
  const [low = 0, high = 0] = [values[first], values[last]]
  return low + ((high - low) * (x - from)) / (to - from)
}
