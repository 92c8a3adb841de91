import crawlers from 'crawler-user-agents'
import { list as isbotPatterns } from 'isbot'
import QuickLRU from 'quick-lru'
import { type BotCategory, NAMED_BOTS } from '#core/usage/named-bots'
import type { BotPurpose } from '#schemas/bot-traffic'
import { purposeOf } from './bot-purpose.ts'

export type Bot = { category: BotCategory; actor: string; purpose?: BotPurpose | undefined }

/**
 * The version of the rules, which the daily counts record: the number of the rules in this file, and the
 * versions of the public lists. So a jump in the counts can be told from a change of the rules. Raise the
 * number with the rules.
 */
export const BOT_RULES_VERSION = '5+crawler-user-agents-1.60.0+isbot-5.2.3'

/** Returns the bot that a User-Agent header names, or null for a human. */
export type BotClassifier = (userAgent: string | undefined) => Bot | null

/** A word that ends in `crawler`, `spider` or `scraper` is the actor's name, also such a word alone (U51). */
const SELF_NAMED = /(?<![a-z0-9_-])(?:[a-z0-9_][a-z0-9_-]*?)?(?:crawler|spider|scraper)(?![a-z0-9_])/i
/** Bots without a name. `bot` must be a word of its own, because phones of the brand Cubot are human. */
const UNNAMED = /(?<![a-z0-9_])bot(?:[/\s;,)-]|$)|spider(?:[/\s;,)-]|$)|crawl[er/]|scrape[r/]/i

/** The category of each tag of the public list. The first tag that an entry has decides. */
const TAG_CATEGORIES: [tag: string, category: BotCategory][] = [
  ['ai-crawler', 'ai_agent'],
  ['search-engine', 'search_crawler'],
  ['social-preview', 'social_preview'],
  ['seo', 'seo_research'],
  ['browser-automation', 'headless_browser'],
  ['monitoring', 'monitoring_perf'],
  ['http-library', 'automation_script'],
]

/** In patterns of the public list: any text. */
const ANY_TEXT = '[\\s\\S]*'
/** Entries of the public lists that match browsers of people. VS Code and Cursor have such a browser. */
const HUMAN_PATTERNS = new Set(['Code\\/1\\.', 'cursor/'])

/** How Slack's app for the desktop ends its User-Agent. The public list has a crawler `Sonic`. */
const SLACK_APP = /\bSonic (?=Slack_SSB\/)/

/** docs/api/bots.md: Node's own client sends this, and so do servers of people. */
const HUMAN_TEXTS = new Set(['node'])
/** A word, but not the start of an address. */
const FIRST_WORD = /^[a-z][a-z-]{0,63}(?=[/ ;]|$)/i

const LISTED_BOTS = (crawlers as { pattern: string; tags?: string[] }[])
  .filter(({ pattern }) => !HUMAN_PATTERNS.has(pattern))
  .map(({ pattern, tags }) => ({
    pattern: new RegExp(pattern),
    // What stands for any text comes from the sender, and may be an address.
    name: new RegExp(pattern.split(ANY_TEXT, 1)[0] ?? pattern),
    category: TAG_CATEGORIES.find(([tag]) => tags?.includes(tag))?.[1] ?? 'generic_bot',
  }))
/** One pattern for all entries. It rules out a human faster than 1,500 patterns do. */
const ANY_LISTED_BOT = new RegExp(LISTED_BOTS.map(({ pattern }) => `(?:${pattern.source})`).join('|'))

/** The second public list, as isbot joins it. */
const SECOND_LIST = new RegExp(isbotPatterns.filter(pattern => !HUMAN_PATTERNS.has(pattern)).join('|'), 'i')

/** Only this part of a User-Agent is read, so that the patterns stay fast. Real ones are not longer. */
const MAX_CHARS = 1024
const MAX_ACTOR_CHARS = 64
const CACHED_USER_AGENTS = 5_000

/** Makes a classifier with a cache, because nearly all traffic has the same few thousand user agents. */
export function createBotClassifier(): BotClassifier {
  const cache = new QuickLRU<string, Bot | null>({ maxSize: CACHED_USER_AGENTS })
  return userAgent => {
    const text = (userAgent ?? '').slice(0, MAX_CHARS).replace(SLACK_APP, '')
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const found = classify(text)
    const bot = found && { ...found, ...withPurpose(purposeOf(text, found.category)) }
    cache.set(text, bot)
    return bot
  }
}

function withPurpose(purpose: BotPurpose | undefined): Pick<Bot, 'purpose'> {
  return purpose === undefined ? {} : { purpose }
}

function classify(text: string): Bot | null {
  if (text.trim() === '') return { category: 'generic_bot', actor: 'Unknown' }
  const lower = text.toLowerCase()
  const named = NAMED_BOTS.find(({ pattern }) => lower.includes(pattern))
  if (named !== undefined) return { category: named.category, actor: named.actor }
  const selfNamed = SELF_NAMED.exec(text)
  if (selfNamed !== null) return { category: 'generic_bot', actor: selfNamed[0].slice(0, MAX_ACTOR_CHARS) }
  if (UNNAMED.test(text)) return { category: 'generic_bot', actor: 'Unknown' }
  return findListedBot(text) ?? findBotWithoutCategory(text)
}

function findListedBot(text: string): Bot | null {
  if (!ANY_LISTED_BOT.test(text)) return null
  for (const { pattern, name, category } of LISTED_BOTS) {
    const match = pattern.exec(text)
    if (match !== null) return { category, actor: actorName(name.exec(match[0])?.[0] ?? '') }
  }
  return null
}

/** The part of the User-Agent that the list knows, without the punctuation around it. */
function actorName(matched: string): string {
  const name = matched
    .replace(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}])[^\p{L}\p{N}]+$/gu, '')
    .slice(0, MAX_ACTOR_CHARS)
  return name === '' ? 'Unknown' : name
}

/**
 * What only the second public list knows, mostly libraries of programming languages. It names no categories.
 */
function findBotWithoutCategory(text: string): Bot | null {
  const match = HUMAN_TEXTS.has(text.trim()) ? undefined : SECOND_LIST.exec(text)?.[0]
  return match === undefined
    ? null
    : { category: 'generic_bot', actor: FIRST_WORD.exec(match)?.[0] ?? 'Unknown' }
}
