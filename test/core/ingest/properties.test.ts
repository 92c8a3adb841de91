import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertiesJson } from '#core/ingest/properties'
import { propertySettings } from '#test/support/depth'

/** The stored text of properties that a body contains as `jsonText`. */
function stored(jsonText: string): string | null {
  return propertiesJson(JSON.parse(jsonText), '') as string | null
}

function code(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}

/** A simple second implementation of the rule: a copy without the keys. */
function withoutEmail(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmail)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.toLowerCase().includes('email'))
      .map(([key, inner]) => [key, withoutEmail(inner)]),
  )
}

test('properties that are absent or null are null', () => {
  expect(propertiesJson(undefined, '')).toBeNull()
  expect(stored('null')).toBeNull()
})

test.each(['[]', '"a"', '5', 'true'])('properties of %s are refused', text => {
  expect(code(() => stored(text))).toBe('INVALID_PROPERTIES')
})

test('keys that contain `email` are removed at every depth, and nothing else is removed', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('email', 'Email_Hash', 'userEMAIL', '__proto__', 'constructor', 'e-mail'),
  )
  const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary' }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(fc.dictionary(key, tree, { maxKeys: 6 }), properties => {
      const text = JSON.stringify(properties)
      fc.pre(Buffer.byteLength(text) <= 8192)
      expect(JSON.parse(stored(text)!)).toEqual(JSON.parse(JSON.stringify(withoutEmail(JSON.parse(text)))))
    }),
    propertySettings(100),
  )
})

test('`__proto__` and `constructor` are stored like other keys', () => {
  const text = '{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":3,"my_email":4}'
  expect(stored(text)).toBe('{"__proto__":{"a":1},"constructor":{"prototype":2},"toJSON":3}')
  expect(({} as { a?: number }).a).toBeUndefined()
})

test('the limit is 8192 bytes of UTF-8, counted before e-mail keys are removed', () => {
  const ofBytes = (bytes: number, char: string) => {
    const room = bytes - Buffer.byteLength('{"a":""}')
    const size = Buffer.byteLength(char)
    return `{"a":"${char.repeat(Math.floor(room / size))}${'x'.repeat(room % size)}"}`
  }
  for (const char of ['x', 'é', '€', '😀']) {
    expect(stored(ofBytes(8192, char))).toHaveLength(ofBytes(8192, char).length)
    expect(code(() => stored(ofBytes(8193, char)))).toBe('INVALID_PROPERTIES')
  }
  expect(code(() => stored(`{"email":"${'x'.repeat(8192)}"}`))).toBe('INVALID_PROPERTIES')
})

test('spaces between the tokens of the JSON do not count toward the limit', () => {
  expect(stored(`{"a":${' '.repeat(9000)}1}`)).toBe('{"a":1}')
})

test('lone surrogates in keys and values become U+FFFD; pairs, and text that looks like an escape, do not change', () => {
  expect(stored('{"a\\ud800":["\\udfff",{"b":"\\ud83d\\ude00"}],"c":"\\\\ud800"}')).toBe(
    '{"a\ufffd":["\ufffd",{"b":"😀"}],"c":"\\\\ud800"}',
  )
})

test('stored text never contains a lone surrogate', () => {
  const unit = fc.constantFrom('\ud800', '\udc00', '\\', 'u', 'd', '8', '"', 'a', '\u0001', '😀')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), fc.string({ unit, maxLength: 40 }), (key, value) => {
      const text = stored(JSON.stringify({ [key]: value }))
      expect(Object.entries(JSON.parse(text!))).toEqual([[key.toWellFormed(), value.toWellFormed()]])
    }),
    propertySettings(100),
  )
})

test('a value that is too deep for the stack is refused', () => {
  const depth = 400_000
  expect(code(() => stored(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`))).toBe('INVALID_PROPERTIES')
})

test('a value that is as deep as 8192 bytes allow is stored', () => {
  const depth = 4000
  const text = `{"email":1,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  expect(stored(text)).toBe(text.replace('"email":1,', ''))
})
