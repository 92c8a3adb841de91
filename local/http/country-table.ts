import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader } from 'mmdb-lib'
import QuickLRU from 'quick-lru'

const TABLE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'
const CACHED_ADDRESSES = 10_000

/** The entry of an address in the table. */
type CountryEntry = { country_code?: string }

/**
 * Reads the offline table of countries by IP address (7.8 MB, IPv4 and IPv6) and returns its look-up
 * function. That returns two letters, or null for a private, unknown or invalid address.
 */
export function openCountryTable(): (ip: string) => string | null {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(TABLE))
  // The library's types describe MaxMind's own tables. This table has a single field.
  const reader = new Reader(bytes) as unknown as { get(ip: string): CountryEntry | null }
  const cache = new QuickLRU<string, string | null>({ maxSize: CACHED_ADDRESSES })
  return ip => {
    const cached = cache.get(ip)
    if (cached !== undefined) return cached
    const country = reader.get(removeIpv6Prefix(ip))?.country_code ?? null
    cache.set(ip, country)
    return country
  }
}

/** A socket for both IPv4 and IPv6 gives an IPv4 address with the prefix `::ffff:`. */
function removeIpv6Prefix(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip
}
