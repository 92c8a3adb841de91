export type Device = {
  browser: string
  /** Major version; empty when unknown. */
  browser_version: string
  os: string
  device: 'desktop' | 'mobile' | 'tablet'
}

/** The low-entropy hints of `navigator.userAgentData`, which need no permission (docs/api/tracker.md). */
export type Hints = {
  brands: { brand: string; version: string }[]
  mobile: boolean
  platform: string
}

/**
 * The order matters: user agents of Edge and Opera also contain Chrome, and that of Chrome contains Safari.
 */
const BROWSERS: Record<string, RegExp> = {
  Edge: /Edg\w*\/(\d+)/,
  Opera: /(OP[RTXi]\w*|Opera)\/(\d+)/,
  Firefox: /(Firefox|FxiOS)\/(\d+)/,
  Chrome: /(Chrom\w+|CriOS)\/(\d+)/,
  Safari: /Version\/(\d+).*Safari/,
}

/**
 * The order matters: the user agent of an iPhone contains Mac OS X, those of Android and ChromeOS contain
 * Linux or X11.
 */
const SYSTEMS: Record<string, RegExp> = {
  iOS: /iP(hone|ad|od)|^iOS/,
  Windows: /Windows/,
  Android: /Android/,
  ChromeOS: /CrOS|^Chrom/,
  macOS: /mac/i,
  Linux: /Linux|X11/,
}

/**
 * Returns the first name whose pattern is in the first text, else in the next text, and the version that it
 * finds.
 */
function findName(table: Record<string, RegExp>, ...texts: (string | undefined)[]): string[] {
  for (const text of texts) {
    for (const name in table) {
      const match = table[name]!.exec(text!)
      if (match) return [name, match.pop()!]
    }
  }
  return ['Unknown', '']
}

/**
 * Returns browser, system and kind of device. Hints win over the user agent. `width` is the width of the
 * screen, CSS px.
 */
export function describeDevice(userAgent: string, hints: Hints | undefined, width: number): Device {
  // Brands are written like products of a user agent and come first, so that their versions are found.
  const brands = hints?.brands?.map(({ brand, version }) => `${brand}/${version}`)
  const [browser, browser_version] = findName(BROWSERS, `${brands}${userAgent}`) as [string, string]
  const os = findName(SYSTEMS, hints?.platform, userAgent)[0]!
  return { browser, browser_version, os, device: parseKind(userAgent, hints, width) }
}

function parseKind(userAgent: string, hints: Hints | undefined, width: number): Device['device'] {
  if (hints?.mobile) return 'mobile'
  if (/iPad|Tablet|Android(?!.*Mobi)/.test(userAgent)) return 'tablet'
  if (width < 768 || /Mobi/.test(userAgent)) return 'mobile'
  return width < 1024 ? 'tablet' : 'desktop'
}
