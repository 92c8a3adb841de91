import type { FetchedPage } from '#scanner/types'
import type { Watch } from '#scanner/watch'
import type { SiteFindings } from './findings.ts'
import { type PageReading, readPage } from './read-page.ts'
import { readSite } from './read-site.ts'

/**
 * Gives a reader for the pages of one site, which are read several times: after the first page, after
 * further ones, after some are rendered. It reads each page once, as a piece of work of its own.
 */
export function openSiteReader(watch: Watch): (fetched: readonly FetchedPage[]) => SiteFindings {
  const readings = new WeakMap<FetchedPage, PageReading>()
  return fetched =>
    readSite(fetched, page => {
      const reading = readings.get(page) ?? watch(() => readPage(page))
      readings.set(page, reading)
      return reading
    })
}
