export type Device = {
  browser: string
  /** Major version; empty when unknown. */
  browser_version: string
  os: string
  device: 'desktop' | 'mobile' | 'tablet'
}

/** The low-entropy hints of `navigator.userAgentData`, which need no permission (contract 4.4, 4.8). */
export type Hints = {
  brands: { brand: string; version: string }[]
  mobile: boolean
  platform: string
}

/** The order matters: user agents of Edge and Opera also contain Chrome, and that of Chrome contains Safari. */
const BROWSERS: Record<string, RegExp> = {
  Edge: /Edg\w*\/(\d+)/,
  Opera: /(?:OP[RTXi]\w*|Opera)\/(\d+)/,
  Firefox: /(?:Firefox|FxiOS)\/(\d+)/,
  Chrome: /(?:Chrom\w+|CriOS)\/(\d+)/,
  Safari: /Version\/(\d+).*Safari/,
}

/** The order matters: the user agent of an iPhone contains Mac OS X, those of Android and ChromeOS contain Linux or X11. */
const SYSTEMS: Record<string, RegExp> = {
  iOS: /iP(hone|ad|od)|^iOS/,
  Windows: /Windows/,
  Android: /Android/,
  ChromeOS: /CrOS|^Chrom/,
  macOS: /mac/i,
  Linux: /Linux|X11/,
}

function findName(table: Record<string, RegExp>, text: string): string | undefined {
  return Object.keys(table).find(name => table[name]!.test(text))
}

/** Returns browser, system and kind of device. Hints win over the user agent. `width` is the width of the screen, CSS px. */
export function describeDevice(userAgent: string, hints: Hints | undefined, width: number): Device {
  // Brands are written like products of a user agent and come first, so that their versions are found.
  const text = `${hints?.brands?.map(({ brand, version }) => `${brand}/${version}`)} ${userAgent}`
  const browser = findName(BROWSERS, text)
  const match = browser && BROWSERS[browser]!.exec(text)
  return {
    browser: browser || 'Unknown',
    browser_version: match ? match[1]! : '',
    os: findName(SYSTEMS, hints?.platform || '') || findName(SYSTEMS, userAgent) || 'Unknown',
    device: parseKind(userAgent, hints, width),
  }
}

function parseKind(userAgent: string, hints: Hints | undefined, width: number): Device['device'] {
  if (hints?.mobile) return 'mobile'
  if (/iPad|Tablet|Android(?!.*Mobi)/.test(userAgent)) return 'tablet'
  if (width < 768 || /Mobi/.test(userAgent)) return 'mobile'
  return width < 1024 ? 'tablet' : 'desktop'
}
