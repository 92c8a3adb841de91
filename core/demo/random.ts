/** A sequence of random numbers. The same seed gives the same numbers on every machine. */
export type Random = {
  /** Returns a number with 0 <= number < 1. */
  next(): number
  /** Returns a whole number with 0 <= number < below. */
  below(below: number): number
}

/**
 * The generator sfc32 by Chris Doty-Humphrey (PractRand), seeded with two numbers, such as a seed and an
 * index.
 */
export function createRandom(seed: number, index = 0): Random {
  let [a, b, c, counter] = [seed | 0, index | 0, Math.imul(seed ^ index, 0x9e3779b1) | 0, 1]
  const step = () => {
    const result = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + result) | 0
    return result >>> 0
  }
  for (let i = 0; i < 12; i += 1) step()
  return {
    next: () => step() / 4_294_967_296,
    below: below => Math.floor((step() / 4_294_967_296) * below),
  }
}

/**
 * Returns a function that picks values by weight. It computes the running sums once; each pick is a binary
 * search.
 */
export function createPicker<T>(weighted: readonly (readonly [value: T, weight: number])[]) {
  const sums = new Float64Array(weighted.length)
  let sum = 0
  weighted.forEach(([, weight], i) => {
    sum += weight
    sums[i] = sum
  })
  return (random: Random): T => {
    const at = random.next() * sum
    let [low, high] = [0, weighted.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) > at) high = middle
      else low = middle + 1
    }
    return (weighted[low] as readonly [T, number])[0]
  }
}
