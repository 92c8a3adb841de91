import { expect, test } from 'vitest'
import { createEmailCodes } from '#local/identity/email-codes'
import { createFakeClock } from '#test/support/fake-clock'

/** A sign-in by a code, without its pages. */

function opened() {
  const clock = createFakeClock(0)
  const codes = createEmailCodes(clock)
  const begun = (signIn = 'one') => {
    codes.begin(signIn)
    return sent(signIn, 'ada@example.com') as string
  }
  const sent = (signIn: string, email: string) => codes.waitFor(signIn, email) && codes.make(signIn, email)
  return { clock, codes, begun, sent }
}

test('the right code proves the address once, with blanks too, and for its own sign-in alone', () => {
  const { codes, begun } = opened()
  const code = begun()
  const { proof } = codes.check('one', `${code.slice(0, 4)} ${code.slice(4)}`) as { proof: string }
  expect(codes.take('two', proof)).toBeNull()
  expect(codes.take('one', proof)).toBe('ada@example.com')
  expect(codes.take('one', proof)).toBeNull()
  expect(codes.check('one', code)).toBe('over')
})

test('after five wrong codes the right one is no good', () => {
  const { codes, begun } = opened()
  const code = begun()
  const wrong = code === '00000000' ? '00000001' : '00000000'
  const results = Array.from({ length: 5 }, () => codes.check('one', wrong))
  expect(results).toEqual(['wrong', 'wrong', 'wrong', 'wrong', 'over'])
  expect(codes.check('one', code)).toBe('over')
})

test('a code ends after ten minutes, and its proof after one', () => {
  const { clock, codes, begun } = opened()
  const late = begun('late')
  clock.advance(10 * 60_000)
  expect(codes.check('late', late)).toBe('over')
  const { proof } = codes.check('one', begun()) as { proof: string }
  clock.advance(60_000)
  expect(codes.take('one', proof)).toBeNull()
})

test('a newer code replaces the one before, and a sign-in that has not begun gets none', () => {
  const { codes, begun, sent } = opened()
  const first = begun()
  const second = sent('one', 'bob@example.com') as string
  expect(codes.check('one', first)).toBe(first === second ? expect.anything() : 'wrong')
  const { proof } = codes.check('one', second) as { proof: string }
  expect(codes.take('one', proof)).toBe('bob@example.com')
  expect(codes.waitFor('unknown', 'ada@example.com')).toBe(false)
  expect(codes.make('unknown', 'ada@example.com')).toBeNull()
})

test('an address gets five e-mails in an hour, and all together 200', () => {
  const { clock, codes, sent } = opened()
  const taken = (email: string, times: number) =>
    Array.from({ length: times }, () => {
      codes.begin('one')
      return sent('one', email)
    }).filter(Boolean).length
  expect(taken('ada@example.com', 9)).toBe(5)
  const others = Array.from({ length: 300 }, (_, i) => taken(`person-${i}@example.com`, 1))
  expect(others.reduce((sum, count) => sum + count, 0)).toBe(195)
  clock.advance(60 * 60_000)
  expect(taken('ada@example.com', 9)).toBe(5)
})

test('sign-ins that were begun and left are forgotten, the oldest first', () => {
  const { codes, begun } = opened()
  const code = begun()
  for (let i = 0; i < 20_001; i++) codes.begin(`left-${i}`)
  expect(codes.check('one', code)).toBe('over')
})

// A stranger who types an address as often as they like must not get guesses at codes that nobody was sent.
test.each([
  ['a sign-in that has begun', () => {}],
  ['an address that gets no code', codes => codes.waitFor('one', 'nobody@example.com')],
  ['an address that gets no more e-mails', codes => askTooOften(codes)],
  [
    'an address that was typed before the last one',
    codes => {
      codes.waitFor('one', 'ada@example.com')
      codes.waitFor('one', 'bob@example.com')
      expect(codes.make('one', 'ada@example.com')).toBeNull()
    },
  ],
] as [string, (codes: ReturnType<typeof createEmailCodes>) => unknown][])(
  '%s has no code that a guess could hit',
  (_, act) => {
    const { codes } = opened()
    codes.begin('one')
    act(codes)
    for (const typed of ['', 'null', '00000000', '12345678']) expect(codes.check('one', typed)).toBe('wrong')
    expect(codes.check('one', '87654321')).toBe('over')
  },
)

function askTooOften(codes: ReturnType<typeof createEmailCodes>): void {
  for (let i = 0; i < 5; i++) {
    codes.waitFor('one', 'ada@example.com')
    expect(codes.make('one', 'ada@example.com')).toMatch(/^\d{8}$/)
  }
  codes.waitFor('one', 'ada@example.com')
  expect(codes.make('one', 'ada@example.com')).toBeNull()
}
