/**
 * numerator / denominator with so many decimals, halves up (R14, U40); 0 when the denominator is 0. Takes whole
 * numbers and counts exactly: 0.0005 as a floating-point quotient may lie on either side of the half.
 */
export function ratio(numerator: number, denominator: number, decimals: number): number {
  if (denominator === 0) return 0
  const scale = 10 ** decimals
  const doubled = 2n * BigInt(denominator)
  const quotient = 2n * BigInt(numerator) * BigInt(scale) + BigInt(denominator)
  // BigInt division cuts toward zero; halves up means toward plus infinity.
  const floor = quotient / doubled - (quotient % doubled < 0n ? 1n : 0n)
  return Number(floor) / scale
}
