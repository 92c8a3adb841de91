import type { Provider } from '#scanner/read/findings'
import { ANALYTICS } from './analytics.ts'
import { CONSENT } from './consent.ts'
import { MARKETING } from './marketing.ts'
import type { ProviderSigns } from './provider-signs.ts'

export const PROVIDERS: readonly ProviderSigns[] = [...ANALYTICS, ...CONSENT, ...MARKETING]

/** Characters of one inline script that are searched, and of all of a page. */
const [MAX_CODE_CHARS, MAX_ALL_CODE_CHARS] = [40_000, 400_000]
/** Longest evidence, characters. */
const MAX_EVIDENCE_CHARS = 160

/**
 * Finds the providers of a page in its addresses and its inline scripts. The evidence is the address without
 * its query, or the sign itself: ids of customers stay out.
 */
export function detectProviders(addresses: readonly string[], scripts: readonly string[]): Provider[] {
  const plain = addresses.map(address => address.toLowerCase())
  const code = codeOf(scripts)
  return PROVIDERS.flatMap(({ name, kind, addresses: parts, code: signs = [] }) => {
    const at = plain.findIndex(address => parts.some(part => hasPart(address, part)))
    if (at !== -1) {
      return [
        {
          name,
          kind,
          evidence: (addresses[at] ?? '').split(/[?#]/, 1).join('').slice(0, MAX_EVIDENCE_CHARS),
        },
      ]
    }
    const sign = signs.find(each => code.includes(each))
    return sign === undefined ? [] : [{ name, kind, evidence: `inline script with ${sign}` }]
  })
}

/** A host in an address begins after a slash or a dot, so that `notclarity.ms` is none. */
function hasPart(address: string, part: string): boolean {
  const at = address.indexOf(part)
  return at === 0 || (at > 0 && (part.startsWith('/') || /[/.]/.test(address[at - 1] ?? '')))
}

function codeOf(scripts: readonly string[]): string {
  let code = ''
  for (const script of scripts) {
    if (code.length >= MAX_ALL_CODE_CHARS) break
    code += `${script.slice(0, MAX_CODE_CHARS)}\n`
  }
  return code
}
