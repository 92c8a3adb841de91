import type { Channel } from '#schemas/channels'

/**
 * The rules that name channels and sources, as data (docs/api/sources.md, U80). They are applied when a
 * report is asked, so a change here judges the past again: then the version goes up.
 */
export const RULES_VERSION = 1

/**
 * `payment`: a page that a visitor passes on the way, so it brings nobody. Others are the channel of a visit
 * that nobody paid for.
 */
type Kind =
  | Extract<
      Channel,
      'ai_assistant' | 'organic_search' | 'organic_social' | 'organic_video' | 'email' | 'referral'
    >
  | 'payment'

/**
 * Kind, name, and what names the source: hosts with their subdomains, values of utm_source, and brands
 * (`google.*`), whose sites have a host in each country.
 */
const KNOWN: readonly [Kind, string, string][] = [
  ['ai_assistant', 'chatgpt', 'chatgpt.com chat.openai.com chatgpt openai com.openai.chatgpt'],
  ['ai_assistant', 'claude', 'claude.ai claude com.anthropic.claude'],
  ['ai_assistant', 'perplexity', 'perplexity.ai perplexity ai.perplexity.app.android'],
  ['ai_assistant', 'gemini', 'gemini.google.com bard.google.com gemini com.google.android.apps.bard'],
  [
    'ai_assistant',
    'copilot',
    'copilot.microsoft.com copilot.cloud.microsoft m365.cloud.microsoft copilot com.microsoft.copilot',
  ],
  ['ai_assistant', 'meta ai', 'meta.ai meta_ai'],
  ['ai_assistant', 'grok', 'grok.com x.ai grok'],
  ['ai_assistant', 'deepseek', 'chat.deepseek.com deepseek.com deepseek'],
  ['ai_assistant', 'mistral', 'chat.mistral.ai lechat mistral'],
  ['ai_assistant', 'you.com', 'you.com'],
  ['ai_assistant', 'phind', 'phind.com phind'],
  ['ai_assistant', 'poe', 'poe.com poe'],
  ['ai_assistant', 'kimi', 'kimi.com kimi.moonshot.cn kimi'],
  ['ai_assistant', 'doubao', 'doubao.com doubao'],
  ['ai_assistant', 'qwen', 'chat.qwen.ai tongyi.aliyun.com qwen'],
  ['ai_assistant', 'duck.ai', 'duck.ai'],
  ['organic_search', 'google', 'google.* google com.google.android.googlequicksearchbox cse.google.com'],
  ['organic_search', 'bing', 'bing.com bing cn.bing.com'],
  ['organic_search', 'yahoo', 'yahoo.* search.yahoo.com yahoo'],
  ['organic_search', 'duckduckgo', 'duckduckgo.com duckduckgo ddg com.duckduckgo.mobile.android'],
  ['organic_search', 'yandex', 'yandex.* ya.ru yandex'],
  ['organic_search', 'baidu', 'baidu.com baidu'],
  ['organic_search', 'ecosia', 'ecosia.org ecosia'],
  ['organic_search', 'brave', 'search.brave.com brave'],
  ['organic_search', 'startpage', 'startpage.com startpage'],
  ['organic_search', 'qwant', 'qwant.com qwant'],
  ['organic_search', 'kagi', 'kagi.com kagi'],
  ['organic_search', 'naver', 'search.naver.com m.search.naver.com naver'],
  ['organic_search', 'daum', 'search.daum.net daum'],
  ['organic_search', 'seznam', 'search.seznam.cz seznam.cz seznam'],
  ['organic_search', 'sogou', 'sogou.com sogou'],
  ['organic_search', 'so.com', 'so.com 360.cn'],
  ['organic_search', 'aol', 'search.aol.com aol.com aol'],
  ['organic_search', 'ask', 'ask.com ask'],
  ['organic_search', 'coccoc', 'coccoc.com coccoc'],
  ['organic_search', 'swisscows', 'swisscows.com'],
  ['organic_search', 'mojeek', 'mojeek.com'],
  ['organic_search', 'metager', 'metager.org metager.de'],
  ['organic_search', 'searxng', 'searx.be searxng'],
  ['organic_social', 'facebook', 'facebook.com fb.com fb.me facebook fb com.facebook.katana'],
  ['organic_social', 'messenger', 'messenger.com m.me messenger'],
  ['organic_social', 'instagram', 'instagram.com ig.me instagram ig com.instagram.android'],
  ['organic_social', 'threads', 'threads.net threads.com threads'],
  ['organic_social', 'x', 'x.com t.co twitter.com twitter x com.twitter.android'],
  ['organic_social', 'linkedin', 'linkedin.com lnkd.in linkedin com.linkedin.android'],
  ['organic_social', 'tiktok', 'tiktok.com tiktok com.zhiliaoapp.musically'],
  ['organic_social', 'pinterest', 'pinterest.* pin.it pinterest com.pinterest'],
  ['organic_social', 'reddit', 'reddit.com redd.it reddit com.reddit.frontpage'],
  ['organic_social', 'hacker news', 'news.ycombinator.com hackernews hn'],
  ['organic_social', 'bluesky', 'bsky.app go.bsky.app bluesky'],
  ['organic_social', 'mastodon', 'mastodon.social mastodon.online mstdn.social fosstodon.org mastodon'],
  ['organic_social', 'whatsapp', 'whatsapp.com wa.me whatsapp com.whatsapp'],
  ['organic_social', 'telegram', 'telegram.org t.me web.telegram.org telegram org.telegram.messenger'],
  ['organic_social', 'discord', 'discord.com discordapp.com discord'],
  ['organic_social', 'slack', 'slack.com app.slack.com slack com.slack'],
  ['organic_social', 'snapchat', 'snapchat.com snapchat'],
  ['organic_social', 'quora', 'quora.com quora'],
  ['organic_social', 'tumblr', 'tumblr.com tumblr'],
  ['organic_social', 'vk', 'vk.com vk.ru away.vk.com vk vkontakte'],
  ['organic_social', 'ok', 'ok.ru odnoklassniki'],
  ['organic_social', 'weibo', 'weibo.com weibo.cn weibo'],
  ['organic_social', 'wechat', 'weixin.qq.com wechat'],
  ['organic_social', 'line', 'line.me liff.line.me'],
  ['organic_social', 'xing', 'xing.com xing'],
  ['organic_social', 'product hunt', 'producthunt.com producthunt'],
  ['organic_social', 'lobsters', 'lobste.rs lobsters'],
  ['organic_social', 'stack overflow', 'stackoverflow.com stackexchange.com'],
  ['organic_social', 'nextdoor', 'nextdoor.com nextdoor'],
  ['organic_video', 'youtube', 'youtube.com youtu.be youtube yt com.google.android.youtube'],
  ['organic_video', 'vimeo', 'vimeo.com vimeo'],
  ['organic_video', 'twitch', 'twitch.tv twitch'],
  ['organic_video', 'dailymotion', 'dailymotion.com dailymotion'],
  ['organic_video', 'bilibili', 'bilibili.com bilibili'],
  ['organic_video', 'rumble', 'rumble.com rumble'],
  ['email', 'gmail', 'mail.google.com com.google.android.gm gmail'],
  ['email', 'outlook', 'outlook.live.com outlook.office.com outlook.office365.com outlook'],
  ['email', 'yahoo mail', 'mail.yahoo.com'],
  ['email', 'proton mail', 'mail.proton.me'],
  ['email', 'gmx', 'gmx.net gmx.de navigator.gmx.net'],
  ['email', 'web.de', 'web.de navigator.web.de'],
  ['email', 'mail.ru', 'e.mail.ru'],
  ['email', 'fastmail', 'app.fastmail.com'],
  ['email', 'icloud mail', 'mail.icloud.com'],
  ['email', 'newsletter', 'newsletter email e-mail mailing'],
  ['email', 'mailchimp', 'mailchimp campaign-archive.com'],
  ['email', 'klaviyo', 'klaviyo'],
  ['email', 'brevo', 'brevo sendinblue'],
  ['email', 'hubspot email', 'hs_email'],
  ['email', 'substack', 'substack.com substack'],
  ['referral', 'github', 'github.com github'],
  ['referral', 'wikipedia', 'wikipedia.org wikipedia'],
  ['referral', 'medium', 'medium.com'],
  ['referral', 'google news', 'news.google.com'],
  ['referral', 'google play', 'play.google.com'],
  ['referral', 'app store', 'apps.apple.com'],
  ['payment', 'stripe', 'checkout.stripe.com hooks.stripe.com billing.stripe.com pay.stripe.com'],
  ['payment', 'paypal', 'paypal.com'],
  ['payment', 'klarna', 'pay.klarna.com payments.klarna.com js.klarna.com'],
  ['payment', 'adyen', 'checkoutshopper-live.adyen.com adyen.com'],
  ['payment', 'mollie', 'mollie.com'],
  ['payment', 'sofort', 'sofort.com'],
  ['payment', 'amazon pay', 'pay.amazon.com payments.amazon.com payments.amazon.de'],
  ['payment', 'google pay', 'pay.google.com'],
  ['payment', 'apple pay', 'applepay.apple.com'],
  ['payment', 'shop pay', 'shop.app'],
  ['payment', 'square', 'squareup.com'],
  ['payment', 'paddle', 'checkout.paddle.com buy.paddle.com'],
  ['payment', 'lemon squeezy', 'lemonsqueezy.com'],
  ['payment', 'ideal', 'ideal.nl'],
  ['payment', '3-d secure', 'cardinalcommerce.com arcot.com 3dsecure.io'],
]

/** One row for each key of the table above. */
export const KNOWN_SOURCES: readonly { key: string; name: string; kind: Kind }[] = KNOWN.flatMap(
  ([kind, name, keys]) => keys.split(' ').map(key => ({ key, name, kind })),
)

/** Brands whose host differs by country: `www.google.co.uk` is `google.*`. */
export const BRANDS = KNOWN_SOURCES.filter(({ key }) => key.endsWith('.*')).map(({ key }) => key.slice(0, -2))

/**
 * Names of click ids, which an advertiser's link carries, and whose they are. The tracker sends the name
 * alone. `fbclid` also stands on links that nobody paid for, so it names the source and no channel.
 */
export const CLICK_IDS: readonly { id: string; source: string; channel?: Channel }[] = [
  { id: 'gclid', source: 'google', channel: 'paid_search' },
  { id: 'gbraid', source: 'google', channel: 'paid_search' },
  { id: 'wbraid', source: 'google', channel: 'paid_search' },
  { id: 'msclkid', source: 'bing', channel: 'paid_search' },
  { id: 'ttclid', source: 'tiktok', channel: 'paid_social' },
  { id: 'li_fat_id', source: 'linkedin', channel: 'paid_social' },
  { id: 'twclid', source: 'x', channel: 'paid_social' },
  { id: 'fbclid', source: 'facebook' },
]

/** Values of utm_medium that name a channel, whatever the source is. */
export const MEDIUMS: Readonly<Partial<Record<Channel, string>>> = {
  paid_search: 'sem paidsearch paid_search paid-search search-ads search_ads',
  paid_social: 'paidsocial paid_social paid-social social-paid social_paid social-ads social_ads',
  display: 'display banner expandable interstitial cpm native programmatic retargeting remarketing',
  email: 'email e-mail e_mail mail newsletter',
  affiliate: 'affiliate affiliates affiliation',
  sms: 'sms mms text-message',
  push: 'push web-push web_push mobile-push mobile_push notification',
  organic_video: 'video',
  organic_social:
    'social social-network social-media social_network social_media sm organic_social organic-social',
  ai_assistant: 'ai ai_assistant ai-assistant llm chatbot',
}

/** Values of utm_medium of a visit that was paid for; the kind of the source decides the channel. */
export const PAID_MEDIUMS = 'cpc ppc cpv cpa cpp paid ads ad'
export const PAID_CHANNELS: readonly [Kind, Channel][] = [
  ['ai_assistant', 'paid_search'],
  ['organic_search', 'paid_search'],
  ['organic_social', 'paid_social'],
  ['organic_video', 'display'],
]

/** Values of utm_medium that say less than a known source does. */
export const WEAK_MEDIUMS: Readonly<Partial<Record<Channel, string>>> = {
  organic_search: 'organic search organic_search organic-search',
  referral: 'referral link app partner',
}
