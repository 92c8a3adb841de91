import type { Channel } from '#schemas/channels'

/** What readers call the channels of docs/api/sources.md. */
const CHANNEL_NAMES: Readonly<Record<Channel, string>> = {
  ai_assistant: 'AI assistants',
  organic_search: 'Search',
  paid_search: 'Paid search',
  organic_social: 'Social networks',
  paid_social: 'Paid social',
  organic_video: 'Video',
  email: 'E-mail',
  affiliate: 'Affiliates',
  display: 'Display ads',
  referral: 'Other sites',
  direct: 'Direct',
  internal: 'Own pages',
  sms: 'SMS',
  push: 'Push messages',
  server: 'Servers and apps',
  other: 'Other campaigns',
}

/** The name of a channel; another text, which a filter may have, as it is. */
export function channelName(channel: string): string {
  return Object.hasOwn(CHANNEL_NAMES, channel) ? CHANNEL_NAMES[channel as Channel] : channel
}
