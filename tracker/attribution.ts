import { redactEmails } from './address.ts'
import { bare } from './clean.ts'
import { read, readJson, write } from './storage.ts'

type Values = Record<string, string>

const VALUE_CHARS = 256

/**
 * Returns `utm_*` of the browser session and `first_utm_*` of the user, and `click_id` and `first_click_id`:
 * the name of an advertiser's click id. A campaign in the query of the route is stored first: for the browser
 * session, and as the user's first campaign if there is none yet.
 */
export function campaignProperties(query: URLSearchParams): Values {
  const values: Values = bare({})
  for (const [name, value] of query) {
    if (/^utm_(source|medium|campaign|content|term)$/.test(name) && value)
      values[name] = redactEmails(value).slice(0, VALUE_CHARS)
    // The value names the visitor to the advertiser, so the name alone is kept.
    if (/^([gw]braid|(g|fb|tt|tw)clid|msclkid|li_fat_id)$/.test(name)) values.click_id = name
  }
  const campaign = JSON.stringify(values)
  if (campaign[2]) {
    write('utm', campaign)
    if (!read('ft')) write('ft', campaign)
  }
  const properties: Values = { ...readJson('utm') }
  const first: Values = readJson('ft')
  for (const name in first) properties[`first_${name}`] = first[name]!
  return properties
}
