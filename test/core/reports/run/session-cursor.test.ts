import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSessionCursor, parseSessionCursor } from '#core/reports/run/session-cursor'
import { propertySettings } from '#test/support/depth'

test('parseSessionCursor returns the place of the session that encodeSessionCursor was given', () => {
  fc.assert(
    fc.property(fc.nat(Date.parse('9999-12-31')), fc.string({ unit: 'binary' }), (start_time, session_id) => {
      const cursor = encodeSessionCursor({ start_time, session_id })
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(parseSessionCursor(cursor)).toEqual({ start: start_time, id: session_id })
    }),
    propertySettings(100),
  )
})

const text = (plain: string): string => Buffer.from(plain).toString('base64url')

test.each([
  ['empty', ''],
  ['not base64', '!!'],
  ['made without an id', text('12')],
  ['made without a start', text('.s1')],
  ['a start that is not a number', text('x.s1')],
  ['before 1970', text('-1.s1')],
  ['beyond the year 9999', text('253402300800000.s1')],
  ['of the last millisecond of the year 9999, after which no page can begin', text('253402300799999.s1')],
  ['padded', `${text('1.s')}=`],
])('a cursor that is %s is refused with MISSING_FIELDS', (_, cursor) => {
  expect(() => parseSessionCursor(cursor)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }))
})
