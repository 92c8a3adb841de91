import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excessOf, isDeeperThan, MAX_JSON_DEPTH, parseJson } from '#schemas/json-depth'

const bytes = (json: string) => Buffer.from(json)

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('the depth is that of the objects and lists of the value, whatever its texts and keys are', () => {
  // Texts of brackets, quotes and backslashes, which the scan must not count.
  const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', 'ä', '\u{1f600}') })
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      text,
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 3 }),
    ),
  }))
  fc.assert(
    fc.property(tree, fc.constantFrom(0, 2), (value, indent) => {
      const json = bytes(JSON.stringify(value, null, indent))
      const depth = depthOf(value)
      expect(isDeeperThan(json, depth)).toBe(false)
      if (depth > 0) expect(isDeeperThan(json, depth - 1)).toBe(true)
    }),
  )
})

test('siblings and closed values do not count', () => {
  expect(isDeeperThan(bytes(`[${'[],{},'.repeat(100_000)}0]`), 2)).toBe(false)
})

test.each([
  ['400,000 lists', '['.repeat(400_000)],
  ['400,000 lists that end', '['.repeat(400_000) + ']'.repeat(400_000)],
  ['400,000 objects', '{"a":'.repeat(400_000)],
  ['lists and objects in turn', '[{"a":'.repeat(200_000)],
  ['one level too much', '['.repeat(MAX_JSON_DEPTH + 1) + ']'.repeat(MAX_JSON_DEPTH + 1)],
])('%s are not parsed', (_, json) => {
  expect(() => parseJson(json)).toThrow(/more than 64 levels/)
})

test('a text of brackets is a text, and the deepest JSON that is allowed is parsed', () => {
  expect(parseJson(`{"a":"${'['.repeat(400_000)}"}`)).toHaveProperty('a')
  expect(parseJson('['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH))).toBeInstanceOf(Array)
})

test.each([
  ['{}', 1],
  ['[1,2,3]', 3],
  ['{"a":[],"b,[{":{},"c\\",":"d,,,"}', 5],
  ['[[[]],[[]]]', 6],
  ['"a,b,c"', 0],
])('values of %s are counted as they are', (json, values) => {
  expect(excessOf(bytes(json), { levels: 9, values })).toBeNull()
  if (values > 0) expect(excessOf(bytes(json), { levels: 9, values: values - 1 })).toBe('values')
})
