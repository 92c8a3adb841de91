/** Pages of one shape, such as `/blog/S` or `/calendar?month`, that are read. They differ in little. */
const PER_SHAPE = 2
/** Pages below one first segment, such as `/docs`, that are read. */
const PER_SECTION = 6
/** Endings of files that are no pages. */
const NO_PAGE =
  /\.(?:pdf|zip|gz|tar|dmg|exe|apk|iso|jpe?g|png|gif|webp|avif|svg|ico|css|m?js|json|xml|rss|atom|txt|csv|docx?|xlsx?|pptx?|mp[34]|webm|mov|avi|woff2?|ttf|ics|vcf)$/i
/** Links that do something when they are followed. */
const ACTS = /(?:log-?out|sign-?out|unsubscribe|delete|remove|add[-_]to[-_]cart|\/cdn-cgi\/)/i

/**
 * Chooses which pages of a site to read beside the first one, in the order of `candidates`, which begins with
 * the most telling. Pages that look alike are left out after a few, so that a calendar or a shop with a
 * million products takes no more room than other parts of the site.
 */
export function choosePages(first: URL, candidates: Iterable<string>, limit: number): string[] {
  const chosen: string[] = []
  const known = new Set([keyOf(first)])
  const counts = new Map<string, number>()
  for (const candidate of candidates) {
    if (chosen.length >= limit) break
    const url = URL.parse(candidate, first.href)
    if (url === null || !isSameSite(url, first) || NO_PAGE.test(url.pathname) || ACTS.test(url.href)) continue
    url.hash = ''
    const segments = segmentsOf(url)
    const names = [`shape ${shapeOf(url, segments)}`, `section ${segments[0]}`]
    const [shape = 0, section = 0] = names.map(name => counts.get(name) ?? 0)
    if (known.has(keyOf(url)) || shape >= PER_SHAPE || section >= PER_SECTION) continue
    known.add(keyOf(url))
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    chosen.push(url.href)
  }
  return chosen
}

/** A site is one host, with or without `www.`, at one port. */
export function isSameSite(url: URL, first: URL): boolean {
  return /^https?:$/.test(url.protocol) && hostKey(url) === hostKey(first)
}

function hostKey({ host }: URL): string {
  return host.replace(/^www\./, '')
}

/** Two addresses of one page: the scheme, `www.` and a slash at the end make no difference. */
function keyOf(url: URL): string {
  return `${hostKey(url)}${withoutEndSlashes(url.pathname)}${url.search}`
}

/** A regular expression would start at each slash. For a path of many slashes its time would be quadratic. */
function withoutEndSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** The segments of the path, without a language at its beginning: `/en/pricing` is as `/pricing`. */
function segmentsOf({ pathname }: URL): string[] {
  const segments = pathname.split('/').filter(segment => segment !== '')
  return segments.length > 1 && /^[a-z]{2}([-_][a-z]{2})?$/i.test(segments[0] ?? '')
    ? segments.slice(1)
    : segments
}

/**
 * The path with numbers as N, and the names of the query's parameters. The last segment of a longer path
 * counts as any: beside `/products/red` there is `/products/blue`.
 */
function shapeOf({ searchParams }: URL, segments: readonly string[]): string {
  const shape = segments.map((segment, i) =>
    i > 0 && i + 1 === segments.length ? 'P' : segment.replace(/\d+/g, 'N'),
  )
  return `/${shape.join('/')}?${[...searchParams.keys()].toSorted().join('&')}`
}
