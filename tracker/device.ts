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
 * Patterns of the browsers. The order matters: user agents of Edge and Opera also contain Chrome, and that of
 * Chrome contains Safari.
 */
const BROWSERS: Record<string, string> = {
  Edge: 'Edg',
  Opera: 'OP[RTXi]|Opera',
  Firefox: 'Firefox|FxiOS',
  Chrome: 'Chrom|CriOS',
  Safari: 'Version',
}

/**
 * Patterns of the systems. The order matters: the user agent of an iPhone contains Mac OS X, and those of
 * Android contain Linux.
 */
const SYSTEMS: Record<string, string> = {
  iOS: 'iP[aho]|iOS',
  Windows: 'Windows',
  Android: 'Android',
  ChromeOS: 'CrOS|m":"Chrom',
  macOS: '[Mm]ac',
  Linux: 'Linux',
}

/** Returns the first name whose pattern is in the text, and the first number after it. */
function findName(patterns: Record<string, string>, text: string): string[] {
  for (const name in patterns) {
    const match = RegExp(`(${patterns[name]})\\D*(\\d*)`).exec(text)
    if (match) return [name, match[2]!]
  }
  return ['Unknown', '']
}

/**
 * Returns browser, system and kind of device. `width` is the width of the screen, CSS px. Hints come first:
 * their JSON, such as `{"brands":[{"brand":"Google Chrome","version":"142"}],"platform":"Chrome OS"}`, is
 * read like a user agent.
 */
export function describeDevice(userAgent: string, hints: Hints | undefined, width: number): Device {
  const text = JSON.stringify(hints) + userAgent
  const [browser, browser_version] = findName(BROWSERS, text) as [string, string]
  return {
    browser,
    browser_version,
    os: findName(SYSTEMS, text)[0]!,
    device: hints?.mobile
      ? 'mobile'
      : /iPad|Tablet|Android(?!.*Mobi)/.test(userAgent)
        ? 'tablet'
        : width < 768 || /Mobi/.test(userAgent)
          ? 'mobile'
          : width < 1024
            ? 'tablet'
            : 'desktop',
  }
}
