import { insights } from '#core/reports/insights'
import { pathsForLinks } from '#core/reports/paths/paths'
import { breakdownForLinks, propertiesForLinks, receivedPropertiesForLinks, statsForLinks } from './lists.ts'
import { conversionForLinks, funnelForLinks, retentionForLinks } from './people.ts'
import { queryForLinks } from './query.ts'
import { distributionForLinks, heatmapForLinks, pagesForLinks } from './sessions.ts'

/**
 * The reports that share links read, by the names of their routes (SHARED_VIEWS of schemas/share-links.ts).
 * None of them has `namesOfEmpty`: it would name values that the project has.
 */
export const reportsForLinks = {
  stats: statsForLinks,
  // It has totals of everybody alone.
  insights: { range: insights.range, compute: insights.compute },
  pages: pagesForLinks,
  sessionDistribution: distributionForLinks,
  heatmap: heatmapForLinks,
  query: queryForLinks,
  breakdown: breakdownForLinks,
  conversion: conversionForLinks,
  funnel: funnelForLinks,
  paths: pathsForLinks,
  retention: retentionForLinks,
  properties: propertiesForLinks,
  receivedProperties: receivedPropertiesForLinks,
}
