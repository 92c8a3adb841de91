/**
 * Codes of two letters that proxies and tables use for no country: XX and ZZ for unknown, EU and AP for
 * regions.
 */
const NO_COUNTRY = new Set(['XX', 'ZZ', 'EU', 'AP'])

/**
 * Returns the country of the sender in two letters, or null (docs/api/ingestion.md, U7). The header of the
 * proxy decides if there is one, even if it names no country. Otherwise the table of addresses decides.
 */
export function countryOf(
  header: string | undefined,
  ip: string | null,
  lookUp: (ip: string) => string | null,
): string | null {
  if (header !== undefined && header !== '') return countryCode(header)
  const country = ip === null ? null : lookUp(ip)
  return country === null ? null : countryCode(country)
}

function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) ? code : null
}
