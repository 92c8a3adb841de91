import { expect, test } from 'vitest'
import { ANSWER_LIMITS, createAnswerMeter } from '#core/sql/answer-meter'

test('an answer may have a hundred thousand rows, and no more', () => {
  const meter = createAnswerMeter(ANSWER_LIMITS)
  for (let i = 0; i < 100_000; i++) meter({ t: 'a' })
  expect(() => meter({ t: 'a' })).toThrow('`limit`')
})

test('its texts and 8 bytes for each other value may be 64 MB, and no more', () => {
  const meter = createAnswerMeter(ANSWER_LIMITS)
  meter({ t: 'x'.repeat(64_000_000 - 16) })
  meter({ n: 1, empty: null })
  expect(() => meter({ n: 1 })).toThrow('`limit`')
})
