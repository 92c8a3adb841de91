import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '#core/text/estimate-tokens'

/** Texts of the kinds that answers have. */
const texts: Record<string, string> = {
  'rows of a series': Array.from(
    { length: 28 },
    (_, i) => `|2026-10-${10 + (i % 20)}|${i * 37}|${i * 4_211}`,
  ).join('\n'),
  'names of events': [
    'page_view',
    'signup_completed',
    '$web_vitals',
    'checkout_started',
    'invoice_paid',
  ].join('\n|'),
  'paths and addresses': [
    '/docs/getting-started',
    '/blog/2026/11/how-we-count?utm_source=news',
    'https://www.example.com/a',
  ].join('\n|'),
  'ids of visitors': ['anon_zq8vcka2q59ejlug', 'anon_kf03jx81mqpwytzr', 'anon_0x9dqhv7kmw2bnrc'].join('\n|'),
  'ids in hex': [
    'proj_0123456789abcdef',
    '9f86d081884c7d659a2feaa0c55ad015',
    '550e8400-e29b-41d4-a716-446655440000',
  ].join('\n|'),
  sentences:
    'Counted: everybody but bots; linked ids of one person count once. The largest drop-off is before step 3.',
  Chinese: '产品页面浏览次数与注册转化率的关系',
  Arabic: 'زيارات صفحة التسعير في الأسبوع الماضي',
  emoji: '🎉🚀👩‍👩‍👧 sale 🇩🇪',
  escapes: 'a\\u{202e}b\\u{3c}img src=x\\u{3e}',
  'random capitals': 'qZxWvKjHgFdSaPoIuYtReWq MNBVCXZLKJHGF',
}

describe.each(Object.entries(texts))('%s', (_, text) => {
  test.each([
    ['cl100k', countCl100k],
    ['o200k', countO200k],
  ] as const)(
    'has at most the estimated tokens of %s, and no more than four times as many',
    (_, countTokens) => {
      const real = countTokens(text)
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(real)
      expect(estimateTokens(text)).toBeLessThanOrEqual(4 * real)
    },
  )
})
