/** P(Z <= z) of the standard normal distribution, by Simpson's rule. */
export function normal(z: number): number {
  const panels = 2_000
  let sum = 0
  for (let i = 0; i <= panels; i++) {
    const weight = i === 0 || i === panels ? 1 : i % 2 === 1 ? 4 : 2
    sum += weight * Math.exp(-(((z * i) / panels) ** 2) / 2)
  }
  return 0.5 + (z * sum) / panels / 3 / Math.sqrt(2 * Math.PI)
}
