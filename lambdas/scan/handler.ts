import type { SiteVisitor, VisitedSite } from '#core/scans/visit-site'
import { siteVisit } from '#core/scans/visited-site'

/**
 * Reads the pages of one site. The jobs function calls it (aws/site-visitor.ts). It handles what strangers
 * have written, so it has no right but to write its log.
 */
export function scanHandler({ visitor }: { visitor: SiteVisitor }) {
  return async function visitSite(event: unknown): Promise<VisitedSite> {
    return visitor.visit(siteVisit.parse(event))
  }
}
