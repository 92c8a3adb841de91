import { isJsonObject } from '#core/text/json-object'
import { WrittenProperties } from './properties.ts'
import type { Sender } from './sender.ts'

type Device = {
  browser: string
  /** Major version; empty when unknown. */
  browser_version: string
  os: string
  device: 'desktop' | 'mobile' | 'tablet'
}

/** What the browser says of itself in the headers of its request. */
export type DeviceHeaders = Pick<Sender, 'userAgent' | 'brands' | 'isMobile' | 'platform'>

/**
 * Patterns of the browsers. The order matters: user agents of Edge and Opera also contain Chrome, and that of
 * Chrome contains Safari.
 */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['Edge', /Edg\D{0,20}(\d*)/],
  ['Opera', /(?:OP[RTXi]|Opera)\D{0,20}(\d*)/],
  ['Firefox', /(?:Firefox|FxiOS)\D{0,20}(\d*)/],
  ['Chrome', /(?:Chrom|CriOS)\D{0,20}(\d*)/],
  ['Safari', /Version\D{0,20}(\d*)/],
]

/**
 * Patterns of the systems. The order matters: the user agent of an iPhone contains Mac OS X, and those of
 * Android contain Linux.
 */
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['iOS', /iP[aho]|iOS/],
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['ChromeOS', /CrOS|Chrom(?:e|ium) OS/],
  ['macOS', /[Mm]ac/],
  ['Linux', /Linux/],
]

/** Headers of browsers are shorter. The first characters of a longer one decide. */
const HEADER_CHARS = 512
/** The screen as the tracker sends it, CSS px. */
const SCREEN = /^(\d{1,5})x\d{1,5}$/

/**
 * Adds browser, system and kind of device to the properties of a browser's event: it has `screen`, and does
 * not name its browser itself (U137). Returns the properties; an object is changed in place, and nobody else
 * uses it.
 */
export function addDevice(properties: unknown, headers: DeviceHeaders): unknown {
  if (properties instanceof WrittenProperties) {
    const { buffer, byteOffset, length } = properties.utf8
    const text = Buffer.from(buffer, byteOffset, length)
    if (!text.includes('"screen":') || text.includes('"browser":')) return properties
    return addDevice(JSON.parse(text.toString()), headers)
  }
  if (!isJsonObject(properties) || properties.browser !== undefined) return properties
  const width = SCREEN.exec(String(properties.screen))?.[1]
  return width === undefined ? properties : Object.assign(properties, describeDevice(headers, Number(width)))
}

/**
 * Returns browser, system and kind of device. `width` is the width of the screen, CSS px. Hints come first.
 */
export function describeDevice(
  { userAgent = '', brands = '', platform = '', isMobile }: DeviceHeaders,
  width: number,
): Device {
  const text = [brands, platform, userAgent].map(header => header.slice(0, HEADER_CHARS)).join(' ')
  const browser = BROWSERS.find(([, pattern]) => pattern.test(text))
  return {
    browser: browser?.[0] ?? 'Unknown',
    browser_version: browser?.[1].exec(text)?.[1] ?? '',
    os: SYSTEMS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'Unknown',
    device: isMobile ? 'mobile' : deviceOf(userAgent, width),
  }
}

/** A tablet says so or has a medium screen, and a phone says so or has a narrow one. */
function deviceOf(userAgent: string, width: number): Device['device'] {
  if (/iPad|Tablet/.test(userAgent)) return 'tablet'
  const isPhone = userAgent.includes('Mobi')
  if (userAgent.includes('Android') && !isPhone) return 'tablet'
  if (width < 768 || isPhone) return 'mobile'
  return width < 1024 ? 'tablet' : 'desktop'
}
