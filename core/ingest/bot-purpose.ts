import type { BotCategory } from '#core/usage/named-bots'
import type { BotPurpose } from '#schemas/bot-traffic'

/**
 * What the operators of crawlers say that each is for, by a part of its User-Agent in lower case. The first
 * one that occurs counts, so Applebot-Extended stands before Applebot.
 */
const NAMES: [purpose: BotPurpose, names: string][] = [
  [
    'fetch',
    'chatgpt-user, claude-user, perplexity-user, mistralai-user, duckassistbot, meta-externalfetcher',
  ],
  [
    'train',
    'gptbot, claudebot, anthropic-ai, google-extended, applebot-extended, meta-externalagent, bytespider, ccbot, ' +
      'cohere-ai, cohere-training-data-crawler, ai2bot, diffbot',
  ],
  ['index', 'oai-searchbot, claude-searchbot, perplexitybot, amazonbot, applebot, petalbot'],
]
const PURPOSES = NAMES.flatMap(([purpose, names]) => names.split(', ').map(name => ({ purpose, name })))

/** What a crawler is for: undefined for other bots. Crawlers of search engines fill an index. */
export function purposeOf(userAgent: string, category: BotCategory): BotPurpose | undefined {
  const lower = userAgent.toLowerCase()
  const named = PURPOSES.find(({ name }) => lower.includes(name))?.purpose
  return named ?? (category === 'search_crawler' ? 'index' : undefined)
}
