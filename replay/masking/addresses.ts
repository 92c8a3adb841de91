import { MASK, redactIdentifiers, redactPatterns } from './patterns.ts'

/** Names of query parameters that stay. Others may be values. */
const PARAMETER = /^[a-z_][a-z_-]{0,31}$/i
/** A fragment that names an element, as in the address of a symbol or a gradient. */
const FRAGMENT = /^#[\w-]{1,64}$/
/** Images that hold pixels alone, and fonts. */
const PIXELS =
  /^data:(image\/(png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|font\/[\w-]+|application\/(x-)?font[\w-]*)[;,]/i

/**
 * Returns an address without values of its query, fragment, user name and secrets in its path. The path of an
 * asset (an image, a style sheet) keeps long runs of characters, which are names of files; that of a page
 * loses them, as they may be tokens.
 */
export function maskAddress(address: string, isAsset: boolean): string {
  const text = address.trim()
  if (/^data:/i.test(text)) return maskData(text)
  if (FRAGMENT.test(text)) return redactPatterns(text)
  const redact = isAsset ? redactIdentifiers : redactPatterns
  const [path, query, fragment] = split(text)
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(path)?.[1]?.toLowerCase()
  // Addresses of e-mail, phones, code and objects in memory are values.
  if (scheme && !/^https?$/.test(scheme)) return `${scheme}:${MASK}`
  const host = /^(https?:)?\/\/[^/]*/i.exec(path)?.[0] ?? ''
  const cleanHost = host.replace(/\/\/[^/]*@/, '//')
  return (
    cleanHost +
    redact(decode(path.slice(host.length))) +
    maskQuery(query) +
    (isAsset && FRAGMENT.test(fragment) ? redactPatterns(fragment) : '')
  )
}

/** Cleans every address in the value of `srcset`. */
export function maskSourceSet(sources: string): string {
  if (/data:/i.test(sources)) return ''
  return sources
    .split(/,\s+/)
    .map(source => {
      const [address = '', ...size] = source.trim().split(/\s+/)
      return [maskAddress(address, true), ...size.filter(part => /^[\d.]+[wxh]$/.test(part))].join(' ')
    })
    .join(', ')
}

function split(address: string): [path: string, query: string, fragment: string] {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(address) ?? []
  return [path, query, fragment]
}

function maskQuery(query: string): string {
  const names = query
    .slice(1)
    .split('&')
    .filter(pair => pair.includes('='))
    .map(pair => pair.split('=', 1)[0]!)
    .filter(name => PARAMETER.test(name))
  return names.length > 0 ? `?${names.map(name => `${name}=`).join('&')}` : ''
}

/**
 * Percent signs hide an address or a number from the patterns. A path that cannot be decoded stays as it is.
 */
function decode(path: string): string {
  try {
    const decoded = decodeURIComponent(path)
    return redactPatterns(decoded) === decoded ? path : decoded
  } catch {
    return path
  }
}

/** Keeps images of pixels, fonts, and drawings without text. */
function maskData(address: string): string {
  if (PIXELS.test(address)) return address
  if (!/^data:image\/svg\+xml[;,]/i.test(address)) return 'data:,'
  const source = readDrawing(address)
  if (source === null || /<\s*(text|foreignObject|title|desc|script|image|style)\b|[?@]/i.test(source))
    return 'data:,'
  return address
}

function readDrawing(address: string): string | null {
  const comma = address.indexOf(',')
  try {
    const source = decodeURIComponent(address.slice(comma + 1))
    return /;base64$/i.test(address.slice(0, comma)) ? atob(source) : source
  } catch {
    return null
  }
}
