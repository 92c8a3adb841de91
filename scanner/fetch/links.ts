/** Links of a page that are looked at. */
const MAX_LINKS = 1_000
const LINK =
  /<a\s(?:[^<>]{0,2000}?[\s"'])?href\s*=\s*(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>]{1,2048}))/gi

/** The addresses that the links of a page lead to, in their order, each once. */
export function linksOf(html: string, pageUrl: string): string[] {
  const base = /<base\s[^<>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]{1,2048})/i.exec(html.slice(0, 100_000))?.[1]
  const from = (base === undefined ? null : URL.parse(base, pageUrl)?.href) ?? pageUrl
  const links = html
    .matchAll(LINK)
    .take(MAX_LINKS)
    .flatMap(([, double, single, bare]) => {
      const target = (double ?? single ?? bare ?? '').trim().replaceAll('&amp;', '&')
      const url = target.startsWith('#') ? null : URL.parse(target, from)
      return url === null ? [] : [url.href]
    })
  return [...new Set(links)]
}
