import { expect, test } from 'vitest'
import { createBotClassifier } from '#core/ingest/bots'
import type { BotRecord } from '#core/ingest/record'
import { countRecords } from '#core/lake/consume/counts'
import { addActors } from '#core/usage/bot-actors'

const classify = createBotClassifier()

test.each<[string, string | undefined]>([
  ['Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'train'],
  ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'train'],
  ['CCBot/2.0 (https://commoncrawl.org/faq/)', 'train'],
  ['Mozilla/5.0 (Macintosh) (Applebot-Extended/0.1; +http://www.apple.com/go/applebot)', 'train'],
  ['Mozilla/5.0 (Macintosh) (Applebot/0.1; +http://www.apple.com/go/applebot)', 'index'],
  ['Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)', 'index'],
  ['Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)', 'index'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'index'],
  ['Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)', 'fetch'],
  ['Mozilla/5.0 (compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)', 'fetch'],
  ['Mozilla/5.0 (compatible; claude-user/1.0; +claude-user@anthropic.com)', 'fetch'],
  ['curl/8.5.0', undefined],
  ['Mozilla/5.0 HeadlessChrome/120.0', undefined],
  ['AhrefsBot/7.0', undefined],
  ['', undefined],
])('the purpose of %s is %s', (userAgent, purpose) => {
  expect(classify(userAgent)?.purpose).toBe(purpose)
})

test('a person has no purpose', () => {
  expect(
    classify('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15'),
  ).toBeNull()
})

const record = (fields: Partial<BotRecord>): BotRecord => ({
  ...{
    kind: 'bots',
    project_id: 'p',
    account_id: 'a',
    received_at: 0,
    category: 'ai_agent',
    actor: 'GPTBot',
  },
  ...{ dropped: 1, ...fields },
})

test('counts have the purpose of a record, also beside records of an earlier version', () => {
  for (const records of [
    [record({}), record({ purpose: 'train' })],
    [record({ purpose: 'train' }), record({})],
  ]) {
    expect(countRecords(records).bots).toMatchObject([{ requests: 2, purpose: 'train' }])
  }
  expect(countRecords([record({})]).bots[0]?.purpose).toBeUndefined()
})

test('actors beyond the limit lose their purpose with their name', () => {
  const crawlers = Array.from({ length: 102 }, (_, i) => ({
    ...{ category: 'ai_agent', actor: `own-crawler-${i}`, purpose: 'train' as const },
    ...{ requests: 1, dropped: 1, last_seen_at: 1, quarters: {} },
  }))
  const actors = addActors([], crawlers)
  expect(actors).toHaveLength(101)
  expect(actors.find(({ actor }) => actor === 'Other')).toEqual({
    ...{ category: 'ai_agent', actor: 'Other', requests: 2, dropped: 2, last_seen_at: 1, quarters: {} },
  })
})
