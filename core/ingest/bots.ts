import crawlers from 'crawler-user-agents'
import QuickLRU from 'quick-lru'

export type BotCategory =
  | 'ai_agent'
  | 'search_crawler'
  | 'social_preview'
  | 'seo_research'
  | 'headless_browser'
  | 'monitoring_perf'
  | 'automation_script'
  | 'generic_bot'

export type Bot = { category: BotCategory; actor: string }

/** Tells a bot from a human by the User-Agent header. null: a human. */
export type BotClassifier = (userAgent: string | undefined) => Bot | null

/** Contract 2.6, in its order. A pattern is found anywhere, in any case; its actor is the name without the slash. */
const ACTORS: Record<Exclude<BotCategory, 'generic_bot'>, string> = {
  ai_agent: 'ChatGPT-User, GPTBot, Anthropic-AI, ClaudeBot, Amazonbot, Bytespider, Cohere-AI, PerplexityBot',
  search_crawler:
    'Googlebot, Bingbot, Slurp, DuckDuckBot, Baiduspider, YandexBot, Sogou, Exabot, ia_archiver',
  social_preview:
    'facebookexternalhit, Facebot, Twitterbot, LinkedInBot, WhatsApp, TelegramBot, Discordbot, Slackbot',
  seo_research: 'AhrefsBot, SemrushBot, MJ12bot, DotBot, Screaming Frog, Rogerbot, MegaIndex',
  headless_browser: 'HeadlessChrome, PhantomJS, Puppeteer, Playwright, Selenium',
  monitoring_perf: 'Lighthouse, PageSpeed, UptimeRobot, Pingdom, Datadog, Site24x7, StatusCake',
  automation_script:
    'curl/, wget/, libwww-perl, python-requests, Scrapy, Go-http-client, HTTPie/, node-fetch, undici, ' +
    'axios/, got/, node/, deno/, bun/',
}

const KNOWN = Object.entries(ACTORS).flatMap(([category, names]) =>
  names.split(', ').map(name => ({
    category: category as BotCategory,
    actor: name.replace('/', ''),
    pattern: name.toLowerCase(),
  })),
)

/** A word that ends in one of these names itself; the bare word names nobody. */
const SELF_NAMED = /(?<![a-z0-9_-])[a-z0-9_][a-z0-9_-]*?(?:crawler|spider|scraper)(?![a-z0-9_])/i
/** The separate word `bot`, so that phones of the brand Cubot stay human; at the end of the text it counts as well. */
const UNNAMED = /(?<![a-z0-9_])bot(?:[/\s;,)-]|$)|spider(?:[/\s;,)-]|$)|crawl[er/]|scrape[r/]/i

/** The public list's tags as the contract's categories; the first that an entry has decides. */
const TAG_CATEGORIES: [tag: string, category: BotCategory][] = [
  ['ai-crawler', 'ai_agent'],
  ['search-engine', 'search_crawler'],
  ['social-preview', 'social_preview'],
  ['seo', 'seo_research'],
  ['browser-automation', 'headless_browser'],
  ['monitoring', 'monitoring_perf'],
  ['http-library', 'automation_script'],
]

/** Entries of the public list that real people's browsers match: VS Code's own browser is driven by a person. */
const HUMAN_PATTERNS = new Set(['Code\\/1\\.'])

const LISTED = (crawlers as { pattern: string; tags?: string[] }[])
  .filter(({ pattern }) => !HUMAN_PATTERNS.has(pattern))
  .map(({ pattern, tags }) => ({
    pattern: new RegExp(pattern),
    category: TAG_CATEGORIES.find(([tag]) => tags?.includes(tag))?.[1] ?? 'generic_bot',
  }))
/** One expression that says no to a human faster than 1,500 do. */
const ANY_LISTED = new RegExp(LISTED.map(({ pattern }) => `(?:${pattern.source})`).join('|'))

/** What is looked at of a User-Agent; no honest one is longer, and the expressions stay fast on dishonest ones. */
const MAX_CHARS = 1024
const MAX_ACTOR_CHARS = 64
const CACHED_USER_AGENTS = 5_000

/** A classifier with a cache of its own: the same few thousand user agents make up nearly all traffic. */
export function createBotClassifier(): BotClassifier {
  const cache = new QuickLRU<string, Bot | null>({ maxSize: CACHED_USER_AGENTS })
  return userAgent => {
    const text = (userAgent ?? '').slice(0, MAX_CHARS)
    const known = cache.get(text)
    if (known !== undefined) return known
    const found = classify(text)
    cache.set(text, found)
    return found
  }
}

function classify(text: string): Bot | null {
  if (text.trim() === '') return { category: 'generic_bot', actor: 'Unknown' }
  const lower = text.toLowerCase()
  const known = KNOWN.find(({ pattern }) => lower.includes(pattern))
  if (known !== undefined) return { category: known.category, actor: known.actor }
  const selfNamed = SELF_NAMED.exec(text)
  if (selfNamed !== null) return { category: 'generic_bot', actor: selfNamed[0].slice(0, MAX_ACTOR_CHARS) }
  if (UNNAMED.test(text)) return { category: 'generic_bot', actor: 'Unknown' }
  return listed(text)
}

function listed(text: string): Bot | null {
  if (!ANY_LISTED.test(text)) return null
  for (const { pattern, category } of LISTED) {
    const match = pattern.exec(text)
    if (match !== null) return { category, actor: actorName(match[0]) }
  }
  return null
}

/** The part of the User-Agent that the list knows, without the punctuation around it. */
function actorName(matched: string): string {
  const name = matched.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').slice(0, MAX_ACTOR_CHARS)
  return name === '' ? 'Unknown' : name
}
