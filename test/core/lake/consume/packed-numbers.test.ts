import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { bitsOf, packNumbers } from '#core/lake/consume/packed-numbers'
import { repeats, seed } from '#test/support/depth'

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [255, 8],
  [256, 9],
  [2 ** 31 - 1, 31],
])('%d needs %d bits', (highest, bits) => expect(bitsOf(highest)).toBe(bits))

test('random numbers in runs of any length are read back', () => {
  const random = createRandom(seed).next
  for (let round = 0; round < repeats(200); round++) {
    const bits = Math.floor(random() * 25)
    const values: number[] = []
    for (let runs = Math.floor(random() * 20); runs >= 0; runs--) {
      const value = Math.floor(random() * 2 ** bits)
      for (let length = Math.ceil(random() ** 3 * 40); length > 0; length--) values.push(value)
    }
    const bytes = packNumbers(Int32Array.from(values), bits)
    const read = new Array(values.length)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    readRleBitPackedHybrid({ view, offset: 0 }, bits, read, bytes.length)
    expect(read).toEqual(values)
  }
})
