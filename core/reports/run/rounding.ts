/**
 * numerator / denominator with `decimals` decimals, halves up (R14, U40); 0 if the denominator is 0. It
 * divides whole numbers exactly: a floating-point quotient such as 0.0005 can lie on either side of the half.
 */
export function ratio(numerator: number, denominator: number, decimals: number): number {
  if (denominator === 0) return 0
  const scale = 10 ** decimals
  const twiceDenominator = 2n * BigInt(denominator)
  const dividend = 2n * BigInt(numerator) * BigInt(scale) + BigInt(denominator)
  // BigInt division rounds toward zero. Halves up needs the floor.
  const floor = dividend / twiceDenominator - (dividend % twiceDenominator < 0n ? 1n : 0n)
  return Number(floor) / scale
}
