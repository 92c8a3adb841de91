/** Where a session came from, in one word (docs/api/sources.md, U80). */
export const CHANNELS = [
  ...(['ai_assistant', 'organic_search', 'paid_search', 'organic_social', 'paid_social'] as const),
  ...(['organic_video', 'email', 'affiliate', 'display', 'referral', 'direct', 'internal'] as const),
  ...(['sms', 'push', 'server', 'other'] as const),
] as const
export type Channel = (typeof CHANNELS)[number]
