import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import crawlers from 'crawler-user-agents'
import { expect, test } from 'vitest'
import { BOT_RULES_VERSION, createBotClassifier } from '#core/ingest/bots'

const classify = createBotClassifier()

/** The table of docs/api/bots.md, with real user agents. */
const named: [userAgent: string, category: string, actor: string][] = [
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
    'ai_agent',
    'ChatGPT-User',
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'ai_agent',
    'GPTBot',
  ],
  ['anthropic-ai', 'ai_agent', 'Anthropic-AI'],
  ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'ai_agent', 'ClaudeBot'],
  ['Mozilla/5.0 (compatible; Amazonbot/0.1) Chrome/119.0.6045.214 Safari/537.36', 'ai_agent', 'Amazonbot'],
  [
    'Mozilla/5.0 (Linux; Android 5.0) (compatible; Bytespider; spider-feedback@bytedance.com)',
    'ai_agent',
    'Bytespider',
  ],
  ['cohere-ai', 'ai_agent', 'Cohere-AI'],
  [
    'Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    'ai_agent',
    'PerplexityBot',
  ],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'search_crawler', 'Googlebot'],
  ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'search_crawler', 'Bingbot'],
  [
    'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
    'search_crawler',
    'Slurp',
  ],
  ['DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)', 'search_crawler', 'DuckDuckBot'],
  ['Mozilla/5.0 (compatible; Baiduspider/2.0)', 'search_crawler', 'Baiduspider'],
  ['Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', 'search_crawler', 'YandexBot'],
  ['Sogou web spider/4.0', 'search_crawler', 'Sogou'],
  ['Mozilla/5.0 (compatible; Exabot/3.0)', 'search_crawler', 'Exabot'],
  ['ia_archiver (+http://www.alexa.com/site/help/webmasters)', 'search_crawler', 'ia_archiver'],
  ['facebookexternalhit/1.1', 'social_preview', 'facebookexternalhit'],
  ['Facebot', 'social_preview', 'Facebot'],
  ['Twitterbot/1.0', 'social_preview', 'Twitterbot'],
  ['LinkedInBot/1.0', 'social_preview', 'LinkedInBot'],
  ['WhatsApp/2.23.20.0', 'social_preview', 'WhatsApp'],
  ['TelegramBot (like TwitterBot)', 'social_preview', 'Twitterbot'],
  ['Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)', 'social_preview', 'Discordbot'],
  ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'social_preview', 'Slackbot'],
  ['Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'seo_research', 'AhrefsBot'],
  ['Mozilla/5.0 (compatible; SemrushBot/7~bl)', 'seo_research', 'SemrushBot'],
  ['Mozilla/5.0 (compatible; MJ12bot/v1.4.8)', 'seo_research', 'MJ12bot'],
  ['Mozilla/5.0 (compatible; DotBot/1.2)', 'seo_research', 'DotBot'],
  ['Screaming Frog SEO Spider/19.0', 'seo_research', 'Screaming Frog'],
  ['rogerbot/1.2', 'seo_research', 'Rogerbot'],
  ['Mozilla/5.0 (compatible; MegaIndex.ru/2.0)', 'seo_research', 'MegaIndex'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36',
    'headless_browser',
    'HeadlessChrome',
  ],
  [
    'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
    'headless_browser',
    'PhantomJS',
  ],
  ['Playwright/1.40', 'headless_browser', 'Playwright'],
  [
    'Mozilla/5.0 (Macintosh) Chrome/109.0.0.0 Safari/537.36 Chrome-Lighthouse',
    'monitoring_perf',
    'Lighthouse',
  ],
  ['Mozilla/5.0 (compatible; Google PageSpeed Insights)', 'monitoring_perf', 'PageSpeed'],
  [
    'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
    'monitoring_perf',
    'UptimeRobot',
  ],
  ['Pingdom.com_bot_version_1.4', 'monitoring_perf', 'Pingdom'],
  ['Datadog/Synthetics', 'monitoring_perf', 'Datadog'],
  ['Site24x7', 'monitoring_perf', 'Site24x7'],
  ['StatusCake_Pagespeed_Indev', 'monitoring_perf', 'PageSpeed'],
  ['curl/8.5.0', 'automation_script', 'curl'],
  ['Wget/1.21', 'automation_script', 'wget'],
  ['libwww-perl/6.67', 'automation_script', 'libwww-perl'],
  ['python-requests/2.31.0', 'automation_script', 'python-requests'],
  ['Scrapy/2.11 (+https://scrapy.org)', 'automation_script', 'Scrapy'],
  ['Go-http-client/2.0', 'automation_script', 'Go-http-client'],
  ['HTTPie/3.2.2', 'automation_script', 'HTTPie'],
  ['node-fetch', 'automation_script', 'node-fetch'],
  ['undici', 'automation_script', 'undici'],
  ['axios/1.6.2', 'automation_script', 'axios'],
  ['got/11.8 (https://github.com/sindresorhus/got)', 'automation_script', 'got'],
  ['node/20', 'automation_script', 'node'],
  ['Deno/1.40', 'automation_script', 'deno'],
  ['Bun/1.0.25', 'automation_script', 'bun'],
]

test.each(named)('%s is a bot of category %s, actor %s', (userAgent, category, actor) => {
  expect(classify(userAgent)).toMatchObject({ category, actor })
})

test('if several names of the table are found, the first row decides; upper and lower case are the same', () => {
  expect(classify('GOOGLEBOT and gptbot')).toMatchObject({ category: 'ai_agent', actor: 'GPTBot' })
})

const generic: [userAgent: string | undefined, actor: string][] = [
  [undefined, 'Unknown'],
  ['', 'Unknown'],
  ['  ', 'Unknown'],
  ['AcmeCrawler/2.0', 'AcmeCrawler'],
  ['Mozilla/5.0 (compatible; acme-spider)', 'acme-spider'],
  ['PriceScraper', 'PriceScraper'],
  ['my bot/1.0', 'Unknown'],
  ['Bot', 'Unknown'],
  ['some bot; contact us', 'Unknown'],
  ['(bot) thing', 'Unknown'],
  ['bot-7', 'Unknown'],
  // The word alone is the actor too (U51).
  ['crawler/1.0', 'crawler'],
  ['spider/1', 'spider'],
  ['we crawl/1 the web', 'Unknown'],
  ['crawled by us', 'Unknown'],
  ['scraper of pages', 'scraper'],
  ['we scrape/1 pages', 'Unknown'],
]

test.each(generic)('%j is a generic bot, actor %s', (userAgent, actor) => {
  expect(classify(userAgent)).toMatchObject({ category: 'generic_bot', actor })
})

test.each([
  [
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1 Safari/605.1.15 (Applebot/0.1)',
    'search_crawler',
    'Applebot',
  ],
  ['okhttp/4.12.0', 'automation_script', 'okhttp'],
  ['Feedly/1.0 (+http://www.feedly.com/fetcher.html; 12 subscribers)', 'generic_bot', 'Feedly'],
])('the public list of crawlers knows %s', (userAgent, category, actor) => {
  expect(classify(userAgent)).toMatchObject({ category, actor })
})

/** Real crawlers beside those of the table. Where a rule of docs/api/bots.md comes first, it decides. */
const crawlersOfToday: [userAgent: string, category: string, actor: string][] = [
  [
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.6422.175 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'search_crawler',
    'Googlebot',
  ],
  ['Googlebot-Image/1.0', 'search_crawler', 'Googlebot'],
  ['GoogleOther', 'search_crawler', 'GoogleOther'],
  ['Google-Read-Aloud', 'search_crawler', 'Google-Read-Aloud'],
  ['FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)', 'generic_bot', 'Feed'],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    'search_crawler',
    'Bingbot',
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot',
    'ai_agent',
    'OAI-SearchBot',
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
    'ai_agent',
    'Claude-User',
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-SearchBot/1.0; +Claude-SearchBot@anthropic.com)',
    'ai_agent',
    'Claude-SearchBot',
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)',
    'ai_agent',
    'Perplexity-User',
  ],
  // The word `crawler` in its address comes before the public list.
  [
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    'generic_bot',
    'crawler',
  ],
  ['CCBot/2.0 (https://commoncrawl.org/faq/)', 'ai_agent', 'CCBot'],
  [
    'Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)',
    'search_crawler',
    'PetalBot',
  ],
  [
    'Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)',
    'search_crawler',
    'SeznamBot',
  ],
  ['Mozilla/5.0 (compatible; Qwantify/2.4w; +https://www.qwant.com/)/2.4w', 'search_crawler', 'Qwantify'],
  [
    'Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)',
    'search_crawler',
    'Baiduspider',
  ],
  ['Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)', 'search_crawler', 'Sogou'],
  ['DuckDuckBot-Https/1.1; (+https://duckduckgo.com/duckduckbot)', 'search_crawler', 'DuckDuckBot'],
  [
    'Mozilla/5.0 (compatible; coccocbot-web/1.0; +http://help.coccoc.com/searchengine)',
    'search_crawler',
    'coccoc',
  ],
  ['MojeekBot/0.11 (+https://www.mojeek.com/bot.html)', 'search_crawler', 'MojeekBot'],
  ['Mozilla/5.0 (compatible; ImagesiftBot; +imagesift.com)', 'search_crawler', 'ImagesiftBot'],
  [
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'social_preview',
    'facebookexternalhit',
  ],
  [
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'social_preview',
    'SkypeUriPreview',
  ],
  ['Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)', 'social_preview', 'redditbot'],
  ['Iframely/1.3.1 (+https://iframely.com/docs/about)', 'social_preview', 'Iframely'],
  ['Mozilla/5.0 (compatible; AwarioBot/1.0; +https://awario.com/bots.html)', 'seo_research', 'AwarioBot'],
  // Followed by `)`, the word `bot` comes before the public list.
  [
    'Mozilla/5.0 (compatible; DataForSeoBot/1.0; +https://dataforseo.com/dataforseo-bot)',
    'generic_bot',
    'Unknown',
  ],
  ['Mozilla/5.0 (compatible; BLEXBot/1.0; +http://webmeup-crawler.com/)', 'generic_bot', 'webmeup-crawler'],
  ['Mozilla/5.0 (compatible; Barkrowler/0.9; +https://babbar.tech/crawler)', 'generic_bot', 'crawler'],
  [
    'Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse',
    'monitoring_perf',
    'Lighthouse',
  ],
  [
    'Better Uptime Bot Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.96 Safari/537.36',
    'generic_bot',
    'Unknown',
  ],
  ['NewRelicSynthetics/1.0', 'monitoring_perf', 'NewRelicSynthetics'],
  [
    'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
    'generic_bot',
    'archive.org_bot',
  ],
  ['Mozilla/5.0 zgrab/0.x', 'generic_bot', 'zgrab'],
  ['Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)', 'generic_bot', 'CensysInspect'],
  ['Apache-HttpClient/4.5.14 (Java/17.0.9)', 'automation_script', 'Apache-HttpClient'],
  ['aiohttp/3.9.5 Python/3.11', 'automation_script', 'aiohttp'],
  ['python-httpx/0.27.0', 'automation_script', 'httpx'],
  ['Java/17.0.9', 'generic_bot', 'Java'],
  ['PostmanRuntime/7.37.3', 'generic_bot', 'PostmanRuntime'],
  ['GuzzleHttp/7', 'generic_bot', 'GuzzleHttp'],
]

test.each(crawlersOfToday)(
  'the real crawler %s is a bot of category %s, actor %s',
  (userAgent, category, actor) => {
    expect(classify(userAgent)).toMatchObject({ category, actor })
  },
)

test('no actor has an e-mail or network address that stands in a User-Agent', () => {
  const addresses = 'qqq@example.com 203.0.113.9 2001:db8::7'
  const userAgents = [
    ...['Current News RSS Reader', 'ContextualBot outcomes.net', 'Spider x spider.com'],
    ...crawlers.flatMap(({ instances }) => instances.slice(0, 1)),
    ...crawlersOfToday.map(([userAgent]) => userAgent),
  ]
  const actors = userAgents.flatMap(userAgent =>
    [userAgent.replaceAll(' ', ` ${addresses} `), `${addresses} ${userAgent}`].map(
      text => classify(text)?.actor,
    ),
  )
  expect(actors.filter(actor => /qqq|example\.com|203\.0|db8/.test(actor ?? ''))).toEqual([])
})

test('every example of the public list is a bot, except the browser of VS Code', () => {
  const instances = crawlers.flatMap(entry => entry.instances)
  expect(instances.length).toBeGreaterThan(2000)
  expect(
    instances.filter(userAgent => classify(userAgent) === null && !userAgent.includes(' Code/')),
  ).toEqual([])
})

const humans = [
  'node',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15',
  'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 334.0.4.32.98 (iPhone14,5; iOS 17_5; en_US; en; scale=3.00; 1170x2532; 607128428)',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/467.0.0.32.108;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.5;FBSS/3;FBLC/en_US]',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/320.0.638048485 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; 22101316G) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/115.0 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.12',
  'Mozilla/5.0 (Linux; U; Android 12; en-US; RMX3231) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0 UCBrowser/13.4.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; HarmonyOS; ELS-AN00) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 HuaweiBrowser/14.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 13; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.4.1 like Chrome/120.0 Safari/537.36',
  'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0',
  'Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Linux; Android 11; CUBOT) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36',
  'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.2 TV Safari/537.36',
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0 Safari/537.36 WebAppManager',
  'Mozilla/5.0 (PlayStation; PlayStation 5/8.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
  'Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/606.4 (KHTML, like Gecko) NF/6.0.1.15.4 NintendoBrowser/5.1.0.20393',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Code/1.95.0 Chrome/128.0 Electron/32.2 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Cursor/1.0.0 Chrome/132.0.6834.210 Electron/34.3.4 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41 Chrome/130.0 Electron/33.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41.98 Chrome/130.0.6723.59 Electron/33.0.2 Safari/537.36 Sonic Slack_SSB/4.41.98',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.41.105 Chrome/130.0.6723.91 Electron/33.1.0 Safari/537.36 Sonic Slack_SSB/4.41.105',
  'Mozilla/5.0 (Linux; Android 14; SM-A546B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36 DuckDuckGo/5',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 EdgiOS/131.0 Mobile/15E148 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Vivaldi/7.0',
  'Opera/9.80 (Android; Opera Mini/36.2/191.249; U; en) Presto/2.12.423 Version/12.16',
]

test.each(humans)('%s is human', userAgent => {
  expect(classify(userAgent)).toBeNull()
})

test('a very long User-Agent is classified by its beginning', () => {
  expect(classify(`${humans[1]} ${'a-'.repeat(100_000)} curl/8`)).toBeNull()
  expect(classify(`curl/8 ${'x'.repeat(100_000)}`)).toMatchObject({ actor: 'curl' })
})

test('the version of the rules names the installed versions of the public lists', () => {
  const lists = ['crawler-user-agents', 'isbot'].map(name => {
    const path = createRequire(import.meta.url).resolve(name)
    const { version } = JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8'))
    return `${name}-${version}`
  })
  expect(BOT_RULES_VERSION).toBe(`5+${lists.join('+')}`)
})
