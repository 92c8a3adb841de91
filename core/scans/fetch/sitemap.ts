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
const LOC = /<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,2048})/gi
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', apos: "'", quot: '"', lt: '<', gt: '>' }

/** Reads the addresses of a sitemap or of an index of sitemaps. A text that is neither has none. */
export function parseSitemap(xml: string): Sitemap {
  const addresses = xml
    .matchAll(LOC)
    .take(MAX_ADDRESSES)
    .map(([, address = '']) => address.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole))
    .toArray()
  const isIndex = /<sitemapindex[\s>]/i.test(xml.slice(0, 2_000))
  return isIndex ? { pages: [], sitemaps: addresses } : { pages: addresses, sitemaps: [] }
}
