/**
 * The title of each view. The key is the name of the view. The table of views uses it, and so do links to
 * other views.
 */
export const TITLES = {
  sites: 'All sites',
  overview: 'Overview',
  live: 'Live',
  pages: 'Pages',
  sources: 'Sources',
  revenue: 'Revenue',
  bots: 'Bots',
  funnel: 'Funnels',
  retention: 'Retention',
  paths: 'Paths',
  heatmap: 'Heatmap',
  sessions: 'Sessions',
  people: 'Visitors',
  events: 'Events',
  experiments: 'Experiments',
  analysis: 'Website analysis',
  settings: 'Settings',
  portfolios: 'Portfolios',
  account: 'Account',
} as const
