/** Cloudflare and others send XX for unknown and T1 for Tor; ZZ and EU are not countries either. */
const NO_COUNTRY = new Set(['XX', 'ZZ', 'EU', 'AP'])

/**
 * The country of the sender (contract 1.1, U7): two letters of the proxy's header where there is one, else what the
 * table says of the address, else null. A header that names no country is not repaired and not overruled.
 */
export function countryOf(
  header: string | undefined,
  ip: string | null,
  lookUp: (ip: string) => string | null,
): string | null {
  if (header !== undefined && header !== '') return countryCode(header)
  const found = ip === null ? null : lookUp(ip)
  return found === null ? null : countryCode(found)
}

function countryCode(text: string): string | null {
  const code = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) ? code : null
}
