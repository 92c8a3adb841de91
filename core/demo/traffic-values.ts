/** The values of the demo traffic, with relative weights. The demo project and bench/ use them. */

export type Weighted<T> = readonly (readonly [value: T, weight: number])[]

export const countries: Weighted<{ country: string; language: string; timezone: string }> = [
  [{ country: 'US', language: 'en-US', timezone: 'America/New_York' }, 22],
  [{ country: 'US', language: 'en-US', timezone: 'America/Los_Angeles' }, 12],
  [{ country: 'DE', language: 'de-DE', timezone: 'Europe/Berlin' }, 12],
  [{ country: 'GB', language: 'en-GB', timezone: 'Europe/London' }, 10],
  [{ country: 'IN', language: 'en-IN', timezone: 'Asia/Kolkata' }, 9],
  [{ country: 'FR', language: 'fr-FR', timezone: 'Europe/Paris' }, 7],
  [{ country: 'BR', language: 'pt-BR', timezone: 'America/Sao_Paulo' }, 6],
  [{ country: 'NL', language: 'nl-NL', timezone: 'Europe/Amsterdam' }, 5],
  [{ country: 'CA', language: 'en-CA', timezone: 'America/Toronto' }, 5],
  [{ country: 'JP', language: 'ja-JP', timezone: 'Asia/Tokyo' }, 4],
  [{ country: 'PL', language: 'pl-PL', timezone: 'Europe/Warsaw' }, 4],
  [{ country: 'AU', language: 'en-AU', timezone: 'Australia/Sydney' }, 4],
]

export type Device = {
  browser: string
  browser_version: string
  os: string
  device: string
  screen: string
}

export const devices: Weighted<Device> = [
  [device('Chrome', '142', 'Windows', 'desktop', '1920x1080'), 22],
  [device('Chrome', '141', 'Windows', 'desktop', '1536x864'), 8],
  [device('Chrome', '142', 'macOS', 'desktop', '1512x982'), 10],
  [device('Chrome', '142', 'Android', 'mobile', '412x915'), 18],
  [device('Safari', '18', 'iOS', 'mobile', '390x844'), 17],
  [device('Safari', '26', 'macOS', 'desktop', '1440x900'), 7],
  [device('Safari', '18', 'iOS', 'tablet', '820x1180'), 3],
  [device('Edge', '142', 'Windows', 'desktop', '1920x1080'), 7],
  [device('Firefox', '145', 'Linux', 'desktop', '1920x1080'), 3],
  [device('Firefox', '144', 'Windows', 'desktop', '1366x768'), 5],
]

function device(browser: string, browser_version: string, os: string, kind: string, screen: string): Device {
  return { browser, browser_version, os, device: kind, screen }
}

export type Campaign = {
  utm_source: string
  utm_medium: string
  utm_campaign?: string
  utm_content?: string
  utm_term?: string
}

/** Sources of sessions: a campaign, a referring page, or neither. */
export const sources: Weighted<{ referrer: string; campaign?: Campaign }> = [
  [{ referrer: '' }, 38],
  [{ referrer: 'https://www.google.com/' }, 26],
  [{ referrer: 'https://duckduckgo.com/' }, 4],
  [{ referrer: 'https://news.ycombinator.com/' }, 5],
  [{ referrer: 'https://github.com/' }, 5],
  [
    {
      referrer: 'https://www.google.com/',
      campaign: { utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'brand', utm_term: 'web analytics' },
    },
    9,
  ],
  [
    {
      referrer: '',
      campaign: {
        utm_source: 'newsletter',
        utm_medium: 'email',
        utm_campaign: 'november',
        utm_content: 'top',
      },
    },
    6,
  ],
  [
    {
      referrer: 'https://x.com/',
      campaign: { utm_source: 'x', utm_medium: 'social', utm_campaign: 'launch' },
    },
    4,
  ],
  [
    {
      referrer: 'https://www.linkedin.com/',
      campaign: {
        utm_source: 'linkedin',
        utm_medium: 'social',
        utm_campaign: 'launch',
        utm_content: 'video',
      },
    },
    3,
  ],
]

/** Pages of the demo traffic, the most viewed first. Further pages are articles. */
export const pages = [
  '/',
  '/pricing',
  '/docs',
  '/blog',
  '/features',
  '/signup',
  '/docs/quickstart',
  '/about',
  '/customers',
  '/docs/api',
  '/changelog',
  '/contact',
] as const

/** Custom events, each with the possible values of its properties. Together they have 15 property keys. */
export const customEvents: Weighted<{
  event: string
  properties: Record<string, readonly (string | number)[]>
}> = [
  [{ event: 'cta_clicked', properties: { label: ['Start free', 'See pricing', 'Book a demo'] } }, 20],
  [
    {
      event: 'search',
      properties: {
        query: ['funnel', 'retention', 'cohort', 'api key', 'export'],
        results: [0, 1, 3, 8, 21],
      },
    },
    13,
  ],
  [{ event: 'feature_used', properties: { feature: ['stats', 'funnels', 'paths', 'live', 'query'] } }, 12],
  [
    { event: 'signup_started', properties: { plan: ['free', 'pro'], method: ['email', 'github', 'google'] } },
    11,
  ],
  [
    {
      event: 'video_played',
      properties: { video_id: ['intro', 'tour', 'agents'], seconds: [5, 15, 30, 60, 120] },
    },
    9,
  ],
  [{ event: 'signup', properties: { plan: ['free', 'pro'], method: ['email', 'github', 'google'] } }, 6],
  [{ event: 'plan_selected', properties: { plan: ['free', 'pro'], currency: ['USD', 'EUR'] } }, 6],
  [{ event: 'add_to_cart', properties: { product_id: ['mug', 'shirt', 'sticker'], value: [5, 12, 25] } }, 5],
  [{ event: 'newsletter_joined', properties: { channel: ['footer', 'article', 'popup'] } }, 4],
  [{ event: 'download', properties: { file: ['brochure.pdf', 'sdk.zip'] } }, 4],
  [{ event: 'share', properties: { channel: ['x', 'linkedin', 'link'] } }, 3],
  [{ event: 'comment_posted', properties: { length: [12, 48, 160, 400] } }, 2],
  [{ event: 'checkout_started', properties: { value: [5, 12, 25, 49], currency: ['USD', 'EUR'] } }, 2],
  [
    {
      event: 'purchase',
      properties: { value: [5, 12, 25, 49], currency: ['USD', 'EUR'], plan: ['free', 'pro'] },
    },
    2,
  ],
  [{ event: 'invite_sent', properties: { team_size: [2, 3, 5, 8] } }, 1],
]

/**
 * Relative number of sessions by hour of the UTC day: the sum of an American, a European and an Asian day.
 */
export const hourWeights = [
  34, 30, 27, 25, 25, 28, 35, 46, 60, 71, 77, 79, 80, 86, 93, 97, 96, 90, 82, 76, 71, 64, 54, 43,
] as const

/** Relative number of sessions by day of the UTC week, Sunday first. */
export const dayWeights = [58, 98, 104, 106, 102, 92, 62] as const
