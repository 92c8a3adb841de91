/** Bytes in which a page may name its own charset. */
const PRESCAN_BYTES = 4_096
// Two adjacent `\s*` would make the time quadratic for a text of many blanks. These patterns have none.
const META_CHARSET = /<meta\b[^<>]{0,500}?\bcharset\s*=\s*(?:["']\s*)?([\w:.-]{1,40})/i
const HEADER_CHARSET = /\bcharset\s*=\s*(?:["']\s*)?([\w:.-]{1,40})/i
const XML_ENCODING = /^\s*<\?xml\b[^<>]{0,200}?\bencoding\s*=\s*["']([\w:.-]{1,40})/i

/** Charsets that pages name and mean another one by, as browsers read them. */
const MISNAMED: Readonly<Record<string, string>> = {
  'utf-16': 'utf-8',
  'utf-16le': 'utf-8',
  'utf-16be': 'utf-8',
}

/**
 * Decodes a page as a browser does: by its byte order mark, else by the charset of the header Content-Type,
 * else by the one that the page names. A page that names none is UTF-8 if it can be, else windows-1252. An
 * unknown name counts as none. Bytes that are not of the charset become U+FFFD.
 */
export function decodeHtml(body: Uint8Array, contentType: string): string {
  const mark = markOf(body)
  if (mark !== null) return new TextDecoder(mark).decode(body)
  const named = decoderOf(HEADER_CHARSET.exec(contentType)?.[1]) ?? decoderOf(declared(body))
  if (named !== null) return named.decode(body)
  try {
    // A page that was cut may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(body)
  }
}

function markOf([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** The charset that the page names; what names one in ASCII is no UTF-16. */
function declared(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, PRESCAN_BYTES)).toString(
    'latin1',
  )
  const name = META_CHARSET.exec(start)?.[1] ?? XML_ENCODING.exec(start)?.[1]
  return name === undefined ? undefined : (MISNAMED[name.toLowerCase()] ?? name)
}

function decoderOf(name: string | undefined) {
  if (name === undefined) return null
  try {
    return new TextDecoder(name)
  } catch {
    return null
  }
}
