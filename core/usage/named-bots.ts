import type { BotCategory } from '#schemas/bot-traffic'

export type { BotCategory }

/**
 * The names of docs/api/bots.md, in its order. A name counts anywhere in the header, in upper or lower case.
 * The actor is the name without its slash.
 */
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

export const NAMED_BOTS = Object.entries(ACTORS).flatMap(([category, names]) =>
  names.split(', ').map(name => ({
    category: category as BotCategory,
    actor: name.replace('/', ''),
    pattern: name.toLowerCase(),
  })),
)

/** The actors of docs/api/bots.md. */
export const NAMED_ACTORS: ReadonlySet<string> = new Set([...NAMED_BOTS.map(({ actor }) => actor), 'Unknown'])
