import { redactEmails } from './address.ts'
import { guarded } from './api.ts'
import { cutText } from './clean.ts'
import { read, write } from './storage.ts'

type Values = Record<string, string>

const VALUE_CHARS = 256

/** Stores the campaign of the query string for the browser session, and as the user's first campaign if there is none yet. */
export function storeCampaign(query: string): void {
  const values: Values = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (/^utm_(source|medium|campaign|content|term)$/.test(name) && value)
      values[name] = cutText(redactEmails(value), VALUE_CHARS)
  }
  const campaign = JSON.stringify(values)
  if (campaign === '{}') return
  write('utm', campaign)
  if (!read('ft')) write('ft', campaign)
}

/** Returns `utm_*` of the browser session and `first_utm_*` of the user. */
export function campaignProperties(): Values {
  const stored = guarded((name: string): Values => JSON.parse(read(name) || '{}'))
  const properties = { ...stored('utm') }
  const first = stored('ft')
  for (const name in first) properties[`first_${name}`] = first[name]!
  return properties
}
