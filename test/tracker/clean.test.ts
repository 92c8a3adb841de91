import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertySettings } from '#test/support/depth'
import { byteLength, cleanProperties, cutText, fitProperties } from '../../tracker/clean.ts'

test('plain values go through as they are', () => {
  const properties = {
    text: 'ä',
    number: -1.5,
    yes: true,
    nothing: null,
    list: [1, 'a', null],
    deep: { a: { b: 1 } },
  }
  expect(cleanProperties(properties)).toEqual(properties)
})

test.each([[null], [undefined], ['text'], [5], [[1, 2]], [() => 1]])('%j is no set of properties', value => {
  expect(cleanProperties(value)).toEqual({})
})

test('a text is cut to 4096 code units, but not inside a pair', () => {
  expect(cleanProperties({ a: 'x'.repeat(5000) })).toEqual({ a: 'x'.repeat(4096) })
  expect(cutText(`${'x'.repeat(9)}😀`, 10)).toBe('x'.repeat(9))
  expect(cutText(`${'x'.repeat(8)}😀`, 10)).toBe(`${'x'.repeat(8)}😀`)
})

test('of an object the first 100 keys are kept, of a list the first 50 items', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
  expect(cleanProperties(keys(150))).toEqual(keys(100))
  expect(cleanProperties({ inner: keys(150), list: Array.from({ length: 60 }, (_, at) => at) })).toEqual({
    inner: keys(100),
    list: Array.from({ length: 50 }, (_, at) => at),
  })
})

test('a cycle becomes [Circular]; the same object twice side by side does not', () => {
  const loop: Record<string, unknown> = { name: 'loop' }
  loop.self = loop
  loop.list = [loop]
  expect(cleanProperties(loop)).toEqual({ name: 'loop', self: '[Circular]', list: ['[Circular]'] })
  const shared = { a: 1 }
  expect(cleanProperties({ one: shared, two: shared })).toEqual({ one: { a: 1 }, two: { a: 1 } })
})

test('what lies deeper than eight levels becomes [MaxDepth]', () => {
  const nest = (levels: number, end: unknown): unknown => (levels === 0 ? end : { d: nest(levels - 1, end) })
  expect(cleanProperties(nest(8, 'end'))).toEqual(nest(8, 'end'))
  expect(cleanProperties(nest(9, 'end'))).toEqual(nest(8, '[MaxDepth]'))
})

test('functions, symbols and undefined are left out, also from lists', () => {
  const value = { f: () => 1, s: Symbol('s'), u: undefined, list: [1, () => 1, Symbol('s'), undefined, 2] }
  expect(cleanProperties(value)).toEqual({ list: [1, 2] })
})

test('keys that contain email are left out at every depth, in any case', () => {
  const value = { email: 1, userEMail: 2, email_hash: 3, mail: 4, deep: [{ WorkEmail: 5, ok: 6 }] }
  expect(cleanProperties(value)).toEqual({ mail: 4, deep: [{ ok: 6 }] })
})

test('dates and big integers become texts, other classes their own keys', () => {
  class Point {
    x = 1
    private readonly y = 2
    sum() {
      return this.x + this.y
    }
  }
  const value = { at: new Date(0), never: new Date(Number.NaN), big: 10n, point: new Point() }
  expect(cleanProperties(value)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    never: null,
    big: '10',
    point: { x: 1, y: 2 },
  })
})

test('a getter that throws takes only itself away', () => {
  const value = {
    a: 1,
    get bad(): number {
      throw new Error('no')
    },
    b: 2,
  }
  expect(cleanProperties(value)).toEqual({ a: 1, b: 2 })
})

test('a key __proto__ is a key like any other', () => {
  const cleaned = cleanProperties(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}'))
  expect(JSON.stringify({ ...cleaned })).toBe('{"__proto__":{"polluted":true},"a":1}')
  expect('polluted' in {}).toBe(false)
})

test('an object that hangs together with everything is given up after as many values as could be sent', () => {
  const nodes = Array.from({ length: 100 }, () => ({}) as Record<string, unknown>)
  for (const node of nodes) Object.assign(node, nodes)
  expect(byteLength(JSON.stringify(cleanProperties({ node: nodes[0] })))).toBeLessThan(1_000_000)
})

test('whatever comes in, JSON comes out', () => {
  fc.assert(
    fc.property(fc.object({ withBigInt: true, withDate: true, withMap: true, maxDepth: 12 }), value => {
      const cleaned = cleanProperties(value)
      expect(cleanProperties(cleaned)).toEqual(cleaned)
      JSON.parse(JSON.stringify(cleaned))
    }),
    propertySettings(100),
  )
})

describe('properties that are too big together', () => {
  test('fit are left alone', () => {
    const properties = { a: 'x'.repeat(8000) }
    expect(fitProperties(properties, 8192)).toEqual(properties)
  })

  test('have their longest texts halved, so that the short ones stay whole', () => {
    const fitted = fitProperties({ path: '/a', long: 'x'.repeat(4096), longer: 'ä'.repeat(4096) }, 8192)
    expect(fitted).toEqual({ path: '/a', long: 'x'.repeat(4096), longer: 'ä'.repeat(1024) })
  })

  test('lose a value that is no text, and many small ones one by one', () => {
    expect(fitProperties({ a: 1, list: Array.from({ length: 50 }, () => 'x'.repeat(400)) }, 8192)).toEqual({
      a: 1,
    })
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key${at}`, 'x'.repeat(200)]))
    expect(byteLength(JSON.stringify(fitProperties(many, 8192)))).toBeLessThan(8192)
  })

  test('stay below the bound, whatever they are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3000 })
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(text, fc.array(text, { maxLength: 5 }))),
        properties => {
          expect(byteLength(JSON.stringify(fitProperties(cleanProperties(properties), 8192)))).toBeLessThan(
            8192,
          )
        },
      ),
      propertySettings(50),
    )
  })
})
