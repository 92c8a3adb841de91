import { posteriorsOf, type VariantOutcome } from './posteriors.ts'

/** Halvings of the search for an end: its error is then far below the three decimals that are shown. */
const HALVINGS = 28
/** The largest lift that is searched. Without a conversion of the baseline no finite end exists. */
const MAX_LIFT = 1_000
/** Densities below this part of the highest one add nothing to an integral, and most points have such. */
const NEGLIGIBLE = 1e-16

/**
 * The interval that has the lift of a variant over a baseline with this probability: [low, high], as parts of
 * the baseline's rate. Each side has half of the rest. The probability that the lift is at most l is the
 * integral of f(x) F((1 + l) x), with the density f of the baseline's rate and the distribution function F of
 * the variant's rate (posteriors.ts).
 */
export function liftInterval(
  variant: VariantOutcome,
  baseline: VariantOutcome,
  probability: number,
): [low: number, high: number] {
  const { points, posteriors } = posteriorsOf([variant, baseline])
  const distribution = posteriors[0]?.distribution ?? []
  const parts = weighted(points, posteriors[1]?.density ?? [])

  function probabilityUpTo(lift: number): number {
    // Both lists ascend, so the point after each x is found by one walk.
    let next = 1
    let sum = 0
    for (const { x, weight } of parts) {
      const scaled = (1 + lift) * x
      while (next < points.length - 1 && (points[next] ?? 1) < scaled) next++
      sum += weight * between(points, distribution, next, scaled)
    }
    return sum
  }

  function quantile(part: number): number {
    let [low, high] = [-1, 1]
    while (probabilityUpTo(high) < part && high < MAX_LIFT) high *= 2
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2
      if (probabilityUpTo(middle) < part) low = middle
      else high = middle
    }
    return (low + high) / 2
  }

  const tail = (1 - probability) / 2
  return [quantile(tail), quantile(1 - tail)]
}

/**
 * The points that count, with the density times the width that Simpson's rule gives them, so that an integral
 * over the density is a sum. `points` are edges and middles of panels (posteriors.ts).
 */
function weighted(points: readonly number[], density: readonly number[]): { x: number; weight: number }[] {
  const least = Math.max(...density) * NEGLIGIBLE
  const widthAt = (i: number) => ((points[i + 1] ?? 0) - (points[i - 1] ?? 0)) / 6
  const panelAfter = (i: number) => ((points[i + 2] ?? points[i] ?? 0) - (points[i] ?? 0)) / 6
  const panelBefore = (i: number) => ((points[i] ?? 0) - (points[i - 2] ?? points[i] ?? 0)) / 6
  return points.flatMap((x, i) => {
    const here = density[i] ?? 0
    if (here < least) return []
    return [{ x, weight: here * (i % 2 === 1 ? 4 * widthAt(i) : panelBefore(i) + panelAfter(i)) }]
  })
}

/** The value at x on the straight line between the points before and at `next`; the last one beyond them. */
function between(points: readonly number[], values: readonly number[], next: number, x: number): number {
  const [from = 0, to = 1] = [points[next - 1], points[next]]
  const [low = 0, high = 0] = [values[next - 1], values[next]]
  return x >= to ? high : low + ((high - low) * (x - from)) / (to - from)
}
