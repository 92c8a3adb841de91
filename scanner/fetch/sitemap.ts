export type Sitemap = {
  /** Addresses of pages, at most MAX_ADDRESSES. */
  pages: string[]
  /** Addresses of further sitemaps, when this one is an index; at most MAX_ADDRESSES. */
  sitemaps: string[]
}

/** Bytes of a sitemap that are read, unpacked. */
export const MAX_SITEMAP_BYTES = 2_000_000
/** An analysis reads 25 pages. More addresses than this only say how large the site is. */
const MAX_ADDRESSES = 2_000
/** A longer address is left out. */
const MAX_ADDRESS_CHARS = 2_048
const [CDATA_START, CDATA_END] = ['<![CDATA[', ']]>']
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', apos: "'", quot: '"', lt: '<', gt: '>' }

/** Reads the addresses of a sitemap or of an index of sitemaps. A text that is neither has none. */
export function parseSitemap(xml: string): Sitemap {
  const addresses = locationsOf(xml)
    .filter(({ length }) => length > 0 && length <= MAX_ADDRESS_CHARS)
    .take(MAX_ADDRESSES)
    .map(address => address.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole))
    .toArray()
  const isIndex = /<sitemapindex[\s>]/i.test(xml.slice(0, 2_000))
  return isIndex ? { pages: [], sitemaps: addresses } : { pages: addresses, sitemaps: [] }
}

/** The texts of the elements `loc`. Each search starts after the last element, so the time is linear. */
function* locationsOf(xml: string): Generator<string> {
  const tag = /<loc>/gi
  while (tag.test(xml)) {
    const start = tag.lastIndex
    const end = xml.indexOf('<', start)
    // The file was cut within the address.
    if (end < 0) return
    const text = xml.slice(start, end).trim()
    if (text !== '' || !xml.startsWith(CDATA_START, end)) {
      tag.lastIndex = end
      yield text
      continue
    }
    const cdata = end + CDATA_START.length
    const cdataEnd = xml.indexOf(CDATA_END, cdata)
    if (cdataEnd < 0) return
    tag.lastIndex = cdataEnd
    yield xml.slice(cdata, cdataEnd).trim()
  }
}
