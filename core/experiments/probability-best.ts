import { integrate, posteriorsOf, type VariantOutcome } from './posteriors.ts'

/**
 * The probability that each variant has the highest conversion rate of all. The probability of variant i is
 * the integral of f_i(x) times the product of F_j(x) over all other variants j, with the densities f and the
 * distribution functions F of the posteriors (S. L. Scott, "A modern Bayesian look at the multi-armed
 * bandit", Applied Stochastic Models in Business and Industry 26, 2010, section 3).
 */
export function probabilityBest(outcomes: readonly VariantOutcome[]): number[] {
  const { points, posteriors } = posteriorsOf(outcomes)
  return posteriors.map(({ density }, i) => {
    const others = posteriors.filter((_, j) => j !== i)
    const integrand = density.map((value, k) =>
      others.reduce((product, { distribution }) => product * (distribution[k] ?? 0), value),
    )
    return integrate(points, integrand).at(-1) ?? 0
  })
}
