import type { Channel } from '#schemas/channels'

/**
 * What analytics tools publish about their channels (groups of sources and mediums, hosts of search engines,
 * networks and assistants), as labels. `from`: hosts of referrers. `tagged`: `utm_source/utm_medium`, where
 * `a,b/c,d` stands for all four. `clicks`: names of click ids, with a source and medium behind a slash.
 */
export const LABELLED: readonly {
  channel: Channel
  from?: string
  tagged?: string
  clicks?: string
}[] = [
  {
    channel: 'ai_assistant',
    from: 'chatgpt.com chat.openai.com claude.ai www.perplexity.ai perplexity.ai gemini.google.com bard.google.com copilot.microsoft.com meta.ai www.meta.ai grok.com x.ai chat.deepseek.com chat.mistral.ai you.com www.phind.com poe.com kimi.com www.doubao.com chat.qwen.ai duck.ai',
    tagged:
      'chatgpt.com,perplexity,claude.ai,gemini,copilot,deepseek/,referral,organic,link chatgpt.com,openai/ai unknown/ai,llm,chatbot',
  },
  {
    channel: 'organic_search',
    from: 'www.google.com google.de www.google.co.uk www.google.com.au google.com.br google.fr m.google.com www.google.co.jp bing.com www.bing.com cn.bing.com search.yahoo.com uk.search.yahoo.com yahoo.com www.yahoo.co.jp duckduckgo.com html.duckduckgo.com yandex.ru ya.ru yandex.com.tr yandex.com www.baidu.com m.baidu.com ecosia.org www.ecosia.org search.brave.com www.startpage.com qwant.com lite.qwant.com kagi.com search.naver.com m.search.naver.com search.daum.net search.seznam.cz www.sogou.com www.so.com search.aol.com ask.com www.ask.com coccoc.com swisscows.com mojeek.com metager.de',
    tagged:
      'google,bing,yahoo,duckduckgo,yandex,baidu,ecosia,brave,naver/,organic,referral nobody/organic Google/Organic',
  },
  {
    channel: 'paid_search',
    tagged:
      'google,bing,yahoo,baidu,duckduckgo,yandex/cpc,ppc,paid,paid-something,cpa,ads nobody/sem,paidsearch,paid_search,paid-search chatgpt.com/cpc',
    clicks:
      'gclid gbraid wbraid msclkid gclid/google/cpc msclkid/bing/cpc gclid/newsletter/email wbraid/google/',
  },
  {
    channel: 'organic_social',
    from: 'facebook.com www.facebook.com l.facebook.com lm.facebook.com m.facebook.com de-de.facebook.com instagram.com l.instagram.com www.threads.net l.threads.com t.co twitter.com x.com mobile.twitter.com www.linkedin.com lnkd.in tiktok.com www.tiktok.com pinterest.com www.pinterest.de pinterest.co.uk pin.it www.reddit.com old.reddit.com out.reddit.com news.ycombinator.com bsky.app go.bsky.app mastodon.social web.whatsapp.com wa.me t.me web.telegram.org discord.com app.slack.com www.snapchat.com quora.com www.quora.com tumblr.com vk.com m.vk.com away.vk.com ok.ru weibo.com m.weibo.cn xing.com www.xing.com producthunt.com www.producthunt.com lobste.rs stackoverflow.com',
    tagged:
      'facebook,fb,instagram,ig,twitter,x,linkedin,tiktok,pinterest,reddit,threads,bluesky,whatsapp,telegram/,social,referral nobody/social,social-network,social-media,social_media,sm',
    clicks: 'fbclid fbclid/facebook/ fbclid/facebook/social',
  },
  {
    channel: 'paid_social',
    tagged:
      'facebook,fb,instagram,ig,twitter,linkedin,tiktok,pinterest,reddit/cpc,ppc,paid,paid_ads nobody/paid_social,paidsocial,paid-social,social-ads',
    clicks:
      'ttclid li_fat_id twclid fbclid/facebook/cpc fbclid/ig/paid ttclid/tiktok/cpc fbclid/facebook/paid_social',
  },
  {
    channel: 'organic_video',
    from: 'youtube.com www.youtube.com m.youtube.com youtu.be vimeo.com player.vimeo.com www.twitch.tv dailymotion.com www.bilibili.com rumble.com',
    tagged: 'youtube,vimeo,twitch/,referral nobody/video youtube/video',
  },
  {
    channel: 'email',
    from: 'mail.google.com mail.yahoo.com outlook.live.com outlook.office.com mail.proton.me navigator.web.de web.de navigator.gmx.net e.mail.ru app.fastmail.com mail.icloud.com',
    tagged:
      'nobody,google,facebook/email,e-mail,e_mail newsletter,email,mailchimp,klaviyo,brevo,substack/ spring/newsletter newsletter/referral',
  },
  { channel: 'affiliate', tagged: 'nobody,google,awin/affiliate,affiliates' },
  {
    channel: 'display',
    tagged:
      'nobody,google,taboola/display,banner,cpm,interstitial,expandable,retargeting,native youtube/cpc,paid,cpv',
  },
  { channel: 'sms', tagged: 'nobody,twilio/sms,mms' },
  { channel: 'push', tagged: 'nobody,onesignal/push,web-push,notification' },
  {
    channel: 'referral',
    from: 'blog.example.org example.com news.google.com docs.google.com github.com www.github.com en.wikipedia.org de.m.wikipedia.org medium.com partner.example:8443 play.google.com googlefan.com notfacebook.com google.example.net mybing.community facebook.com.evil.example xn--bcher-kva.example 192.0.2.7',
    tagged: 'nobody,partner/referral,link,partner github,wikipedia/',
  },
  {
    channel: 'other',
    tagged: 'nobody,partner/,print,qr,offline nobody/cpc,ppc,paid awin/paid_anything /print /cpc',
  },
  { channel: 'direct', tagged: '/' },
  {
    channel: 'internal',
    from: 'shop.example www.shop.example pay.shop.example checkout.stripe.com www.paypal.com paypal.com pay.klarna.com www.mollie.com shop.app pay.google.com',
  },
]
