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
const BROWSERS: [string, RegExp, brand: string][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/, 'Microsoft Edge'],
  ['Opera', /\b(?:OPR|OPiOS|OPT|Opera)[/ ](\d+)/, 'Opera'],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  ['Chrome', /(?:Chrome|Chromium|CriOS)\/(\d+)/, 'Google Chrome'],
  ['Safari', /\bVersion\/(\d+)\S* .*Safari\//, 'Safari'],
]

/** The order matters: the user agent of an iPhone contains Mac OS X, those of Android and ChromeOS contain Linux or X11. */
const SYSTEMS: [string, RegExp][] = [
  ['iOS', /iPhone|iPad|iPod|^iOS$/],
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['ChromeOS', /CrOS|^Chrom(?:e|ium) OS$/],
  ['macOS', /Macintosh|Mac OS X|^macOS$/],
  ['Linux', /Linux|X11/],
]

const MOBILE = /Mobi|iPhone|iPod/
const TABLET = /iPad|Tablet|PlayBook|Silk|Kindle|Android(?!.*Mobi)/

function parseSystem(text: string): string | undefined {
  return SYSTEMS.find(([, pattern]) => pattern.test(text))?.[0]
}

/** Returns browser, system and kind of device. Hints win over the user agent. `width` is the width of the screen, CSS px. */
export function describeDevice(userAgent: string, hints: Hints | undefined, width: number): Device {
  let browser = 'Unknown'
  let version = ''
  for (const [name, pattern] of BROWSERS) {
    const match = pattern.exec(userAgent)
    if (!match) continue
    browser = name
    version = match[1]!
    break
  }
  for (const [name, , brand] of BROWSERS) {
    const hint = hints?.brands?.find(candidate => candidate.brand === brand)
    if (!hint) continue
    browser = name
    version = hint.version.split('.')[0]!
    break
  }
  return {
    browser,
    browser_version: version,
    os: parseSystem(hints?.platform ?? '') ?? parseSystem(userAgent) ?? 'Unknown',
    device: parseKind(userAgent, hints, width),
  }
}

function parseKind(userAgent: string, hints: Hints | undefined, width: number): Device['device'] {
  if (hints?.mobile === true) return 'mobile'
  if (TABLET.test(userAgent)) return 'tablet'
  if (MOBILE.test(userAgent) || width < 768) return 'mobile'
  return width < 1024 ? 'tablet' : 'desktop'
}
