import { redactEmails } from './address.ts'
import type { Store } from './storage.ts'

const NAMES = ['source', 'medium', 'campaign', 'content', 'term']

type Values = Record<string, string>

/** The five campaign values of a query string that are there and not empty; null when none is. */
function readCampaign(query: string): Values | null {
  const parameters = new URLSearchParams(query)
  const values: Values = {}
  for (const name of NAMES) {
    const value = parameters.get(`utm_${name}`)
    if (value) values[`utm_${name}`] = redactEmails(value)
  }
  return Object.keys(values).length > 0 ? values : null
}

/** A set that was kept; only the five names are taken from it, whatever else the storage holds. */
function readKept(store: Store, key: string): Values {
  const values: Values = {}
  try {
    const kept = JSON.parse(store.get(key) || '{}')
    for (const name of NAMES) {
      const value = kept[`utm_${name}`]
      if (typeof value === 'string') values[`utm_${name}`] = value
    }
  } catch {
    // Not ours: as if nothing had been kept.
  }
  return values
}

/** Keeps the campaign of this address: for the browser session, and as the first one if none was seen before. */
export function keepCampaign(local: Store, tab: Store, query: string): void {
  const campaign = readCampaign(query)
  if (!campaign) return
  tab.set('utm', JSON.stringify(campaign))
  if (!local.get('ft')) local.set('ft', JSON.stringify(campaign))
}

/** `utm_*` of the browser session and `first_utm_*` of the visitor. */
export function campaignProperties(local: Store, tab: Store): Values {
  const properties = readKept(tab, 'utm')
  for (const [name, value] of Object.entries(readKept(local, 'ft'))) properties[`first_${name}`] = value
  return properties
}
