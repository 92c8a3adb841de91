import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader } from 'mmdb-lib'
import QuickLRU from 'quick-lru'

const TABLE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'
const CACHED_ADDRESSES = 10_000

/** What the table holds of an address. */
type CountryEntry = { country_code?: string }

/**
 * Reads the offline table of countries by address (7.8 MB, IPv4 and IPv6) and returns its look-up: two letters, or
 * null for an address that is private, unknown or none at all.
 */
export function openCountryTable(): (ip: string) => string | null {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(TABLE))
  // The library types its answers as MaxMind's own tables; this one has a single field.
  const reader = new Reader(bytes) as unknown as { get(ip: string): CountryEntry | null }
  const cache = new QuickLRU<string, string | null>({ maxSize: CACHED_ADDRESSES })
  return ip => {
    const known = cache.get(ip)
    if (known !== undefined) return known
    const found = reader.get(plainAddress(ip))?.country_code ?? null
    cache.set(ip, found)
    return found
  }
}

/** A socket that takes both families names an IPv4 caller in IPv6 notation. */
function plainAddress(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip
}
