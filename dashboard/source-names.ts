import { visible } from './texts.ts'

/**
 * The names of sources that the service knows (docs/api/sources.md), as their owners write them. Two groups:
 * those that only begin with a capital, and those with letters of their own.
 */

const CAPITALISED =
  'aol ask baidu bing bluesky brave brevo claude copilot daum discord doubao ecosia facebook ' +
  'fastmail gemini gmail google grok instagram kagi kimi klaviyo line lobsters mailchimp mastodon ' +
  'medium messenger mistral mojeek naver newsletter nextdoor ok outlook perplexity phind pinterest poe quora ' +
  'qwant qwen reddit rumble seznam slack snapchat sogou startpage substack swisscows telegram threads tumblr ' +
  'twitch vimeo weibo wikipedia x xing yahoo yandex'

const OWN_LETTERS: Readonly<Record<string, string>> = {
  chatgpt: 'ChatGPT',
  'meta ai': 'Meta AI',
  'you.com': 'You.com',
  'duck.ai': 'Duck.ai',
  duckduckgo: 'DuckDuckGo',
  'so.com': 'So.com',
  coccoc: 'Cốc Cốc',
  metager: 'MetaGer',
  searxng: 'SearXNG',
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  'hacker news': 'Hacker News',
  whatsapp: 'WhatsApp',
  vk: 'VK',
  wechat: 'WeChat',
  'product hunt': 'Product Hunt',
  'stack overflow': 'Stack Overflow',
  youtube: 'YouTube',
  dailymotion: 'Dailymotion',
  bilibili: 'Bilibili',
  'yahoo mail': 'Yahoo Mail',
  'proton mail': 'Proton Mail',
  gmx: 'GMX',
  'web.de': 'WEB.DE',
  'mail.ru': 'Mail.ru',
  'icloud mail': 'iCloud Mail',
  'hubspot email': 'HubSpot email',
  github: 'GitHub',
  deepseek: 'DeepSeek',
  'google news': 'Google News',
  'google play': 'Google Play',
  'app store': 'App Store',
}

const NAMES = new Map([
  ...CAPITALISED.split(' ').map(name => [name, name.charAt(0).toUpperCase() + name.slice(1)] as const),
  ...Object.entries(OWN_LETTERS),
])

/** What readers call a source; one that a link of the site has named, as it is. */
export function sourceName(source: string): string {
  return NAMES.get(source) ?? visible(source)
}
