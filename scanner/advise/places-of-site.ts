import type { SiteFindings } from '#scanner/read/findings'
import type { Evidence } from '#schemas/website-scans'

/** Texts, products and projects are below the first page. */
export function deepestPage({ pages }: SiteFindings): string | null {
  return pages.find(({ path, words }) => path !== '/' && words >= 80)?.path ?? pages[0]?.path ?? null
}

export function firstPage({ pages }: SiteFindings): string {
  return pages[0]?.path ?? '/'
}

/** A heading of the first page that is not its first one, else of another page. */
export function headingOf({ headings, pages }: SiteFindings): Evidence | null {
  const titles = new Set(pages.flatMap(({ h1, title }) => [h1, title]))
  return headings.find(({ quote }) => !titles.has(quote)) ?? headings[0] ?? null
}

export function hasHeading(findings: SiteFindings): boolean {
  return headingOf(findings) !== null
}
