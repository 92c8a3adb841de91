import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { Reader } from 'mmdb-lib'
import QuickLRU from 'quick-lru'
import { plainAddress } from './plain-address.ts'

const TABLE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country'
const CACHED_ADDRESSES = 10_000

/** The entry of an address in the table. */
type CountryEntry = { country_code?: string }
type Table = { get(ip: string): CountryEntry | null }

/**
 * Returns the look-up function of the offline tables of countries by IP address. It returns two letters, or
 * null for a private, unknown or invalid address. There is one table for IPv4 (3.0 MB) and one for IPv6 (4.8
 * MB). Each is read when the first address of its kind comes, and then stays in memory.
 */
export function openCountryTable(): (ip: string) => string | null {
  const tables = new Map<number, Table>()
  const cache = new QuickLRU<string, string | null>({ maxSize: CACHED_ADDRESSES })

  function tableOf(family: number): Table {
    const table = tables.get(family) ?? readTable(family)
    tables.set(family, table)
    return table
  }

  return ip => {
    const cached = cache.get(ip)
    if (cached !== undefined) return cached
    const address = plainAddress(ip)
    const family = isIP(address)
    const country = family === 0 ? null : (tableOf(family).get(address)?.country_code ?? null)
    cache.set(ip, country)
    return country
  }
}

function readTable(family: number): Table {
  const bytes = readFileSync(createRequire(import.meta.url).resolve(`${TABLE}-ipv${family}.mmdb`))
  // The library's types describe MaxMind's own tables. These tables have a single field.
  return new Reader(bytes) as unknown as Table
}
