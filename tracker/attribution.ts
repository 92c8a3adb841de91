import { redactEmails } from './address.ts'
import type { Store } from './storage.ts'

const NAMES = ['source', 'medium', 'campaign', 'content', 'term']

type Values = Record<string, string>

/** Returns the campaign values of a query string that are not empty, or null when there are none. */
function readCampaign(query: string): Values | null {
  const parameters = new URLSearchParams(query)
  const values: Values = {}
  for (const name of NAMES) {
    const value = parameters.get(`utm_${name}`)
    if (value) values[`utm_${name}`] = redactEmails(value)
  }
  return Object.keys(values).length > 0 ? values : null
}

/** Reads stored campaign values. It takes only texts under the five names, because other scripts can write to the storage. */
function readStored(store: Store, key: string): Values {
  const values: Values = {}
  try {
    const parsed = JSON.parse(store.get(key) || '{}')
    for (const name of NAMES) {
      const value = parsed[`utm_${name}`]
      if (typeof value === 'string') values[`utm_${name}`] = value
    }
  } catch {
    // The storage holds no JSON of ours, so there are no stored values.
  }
  return values
}

/** Stores the campaign of the query string for the browser session, and as the user's first campaign if there is none yet. */
export function storeCampaign(local: Store, tab: Store, query: string): void {
  const campaign = readCampaign(query)
  if (!campaign) return
  tab.set('utm', JSON.stringify(campaign))
  if (!local.get('ft')) local.set('ft', JSON.stringify(campaign))
}

/** Returns `utm_*` of the browser session and `first_utm_*` of the user. */
export function campaignProperties(local: Store, tab: Store): Values {
  const properties = readStored(tab, 'utm')
  for (const [name, value] of Object.entries(readStored(local, 'ft'))) properties[`first_${name}`] = value
  return properties
}
