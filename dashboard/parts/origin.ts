import { countryName } from '#dashboard/format'
import { shortAddress } from '#dashboard/referrers'
import { pathLabel, visible } from '#dashboard/texts'
import type { EventRow } from './timeline.tsx'

/** Where a visit came from and on what, as facts: terms with their values. */
export type Fact = [term: string, value: string]

/** What the first event of a visit says about it. */
export function originOf({ properties, country }: Pick<EventRow, 'properties' | 'country'>): Fact[] {
  const text = (key: string) => {
    const value = properties?.[key]
    return typeof value === 'string' && value !== '' ? visible(value) : null
  }
  const joined = (keys: readonly string[], mark: string) =>
    keys
      .map(text)
      .filter(each => each !== null)
      .join(mark)
  const campaign = joined(['utm_campaign', 'utm_medium', 'utm_term', 'utm_content'], ' · ')
  const path = text('path')
  return [
    ['Source', sourceOf(text)],
    ...(campaign === '' ? [] : [['Campaign', campaign] as Fact]),
    ...(path === null ? [] : [['First page', pathLabel(path)] as Fact]),
    ['Device', joined(['device', 'browser', 'os'], ', ') || 'Unknown'],
    ['Country', countryName(country)],
  ]
}

/** Direct is a visit that nothing else explains (docs/api/sources.md, rule 13). */
function sourceOf(text: (key: string) => string | null): string {
  const [named, click, referrer] = [text('utm_source'), text('click_id'), text('referrer')]
  if (named !== null) return named
  if (click !== null) return `Advertisement (${click})`
  if (referrer !== null && hostOf(referrer) !== text('hostname')) return shortAddress(referrer)
  if (text('utm_medium') !== null || text('utm_campaign') !== null) return 'A campaign without a source'
  if (referrer !== null) return 'Own page'
  return 'Direct'
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : address
}
