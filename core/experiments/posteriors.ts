/** What one variant of an experiment has reached: `conversions` of `users`. */
export type VariantOutcome = { users: number; conversions: number }

/**
 * The width of the panels of the integration, and how far from its mean they cover a density; both in its
 * standard deviations.
 */
const PANEL_WIDTH = 0.25
const REACH = 40

/**
 * The posteriors of conversion rates, at common points between 0 and 1. The posterior of a rate is Beta(1 +
 * conversions, 1 + users - conversions), which follows from a uniform prior.
 *
 * Simpson's rule integrates over panels that are narrow where any density has its mass. The densities also
 * give the distribution functions, so no special function is needed. Equal input gives equal output. The
 * error is below 0.0001, for no user as for millions.
 */
export function posteriorsOf(outcomes: readonly VariantOutcome[]) {
  const points = withMiddles(panelEdges(outcomes))
  const posteriors = outcomes.map(outcome => {
    const density = points.map(x => relativeDensity(outcome, x))
    const integral = integrate(points, density)
    const total = integral.at(-1) ?? 1
    return {
      density: density.map(value => value / total),
      distribution: integral.map(value => value / total),
    }
  })
  return { points, posteriors }
}

/** The posterior density of a rate, divided by its maximum. So large numbers of users do not overflow. */
function relativeDensity({ users, conversions }: VariantOutcome, rate: number): number {
  const highest = users === 0 ? 0 : conversions / users
  return Math.exp(logDensity(users, conversions, rate) - logDensity(users, conversions, highest))
}

function logDensity(users: number, conversions: number, rate: number): number {
  const others = users - conversions
  // Zero times the logarithm of zero is zero here, as a power with the exponent 0 is 1.
  return (
    (conversions === 0 ? 0 : conversions * Math.log(rate)) + (others === 0 ? 0 : others * Math.log1p(-rate))
  )
}

/** The edges of the panels between the rates 0 and 1, ascending. */
function panelEdges(outcomes: readonly VariantOutcome[]): number[] {
  const edges = new Set([0, 1])
  for (const { users, conversions } of outcomes) {
    // Mean and variance of a Beta distribution.
    const mean = (conversions + 1) / (users + 2)
    const deviation = Math.sqrt((mean * (1 - mean)) / (users + 3))
    for (let offset = -REACH; offset <= REACH; offset += PANEL_WIDTH) {
      const edge = mean + offset * deviation
      if (edge > 0 && edge < 1) edges.add(edge)
    }
  }
  return [...edges].toSorted((a, b) => a - b)
}

/** The edges of the panels, with the middle of each panel between them. */
function withMiddles(edges: readonly number[]): number[] {
  return edges.flatMap((edge, i) => (i === 0 ? [edge] : [((edges[i - 1] ?? 0) + edge) / 2, edge]))
}

/**
 * The integral from the first point to each point. `values` are those of the function at edges and middles of
 * panels. The integral of a panel is that of the parabola through its three values (Simpson's rule), and so
 * is that of its left half.
 */
export function integrate(points: readonly number[], values: readonly number[]): number[] {
  const integrals = [0]
  for (let i = 2; i < points.length; i += 2) {
    const width = (points[i] ?? 0) - (points[i - 2] ?? 0)
    const [left = 0, middle = 0, right = 0] = values.slice(i - 2, i + 1)
    const before = integrals[i - 2] ?? 0
    integrals.push(before + (width / 24) * (5 * left + 8 * middle - right))
    integrals.push(before + (width / 6) * (left + 4 * middle + right))
  }
  return integrals
}
