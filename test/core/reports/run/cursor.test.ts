import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeCursor, parseCursor } from '#core/reports/run/cursor'
import { propertySettings } from '#test/support/depth'

test('parseCursor returns the position that encodeCursor was given', () => {
  fc.assert(
    fc.property(
      fc.nat(Date.parse('9999-12-31')),
      fc.integer(),
      fc.nat(Number.MAX_SAFE_INTEGER),
      (timestamp, lag, seq) => {
        const cursor = encodeCursor({ timestamp, lag, seq })
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(parseCursor(cursor)).toEqual({ timestamp, lag, seq })
      },
    ),
    propertySettings(100),
  )
})

const text = (plain: string): string => Buffer.from(plain).toString('base64url')

test.each([
  ['empty', ''],
  ['not base64', '!!'],
  ['made of too few parts', text('1.2')],
  ['made of too many parts', text('1.2.3.4')],
  ['not a number', text('1.x.3')],
  ['a fraction', text('1.5.2.3')],
  ['an exponent', text('1e3.2.3')],
  ['before 1970', text('-1.2.3')],
  ['beyond the year 9999', text('253402300800000.0.0')],
  ['padded', `${text('1.2.33')}=`],
])('a cursor that is %s is refused with MISSING_FIELDS', (_, cursor) => {
  expect(() => parseCursor(cursor)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }))
})

test('any text is either read or refused with MISSING_FIELDS', () => {
  fc.assert(
    fc.property(fc.string(), cursor => {
      try {
        parseCursor(cursor)
      } catch (error) {
        expect(error).toMatchObject({ code: 'MISSING_FIELDS' })
      }
    }),
    propertySettings(100),
  )
})
