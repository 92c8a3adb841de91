import { hasConditions } from './question.ts'
import { PERIODS, periodOf, zoneOf } from './range.ts'
import { TITLES } from './titles.ts'
import type { Address, Range } from './url.ts'
import type { View } from './view.ts'

/** The groups of the navigation, in their order. */
export const GROUPS = ['Sites', 'Traffic', 'Behaviour', 'Visitors', 'Project', 'Account'] as const
export type Group = (typeof GROUPS)[number]

/**
 * What stands above every view and holds for all of them, unless a view can do nothing with it. `dates`: any
 * first and last date, beside the periods that end today.
 */
export type Shared = 'range' | 'dates' | 'comparison' | 'audience' | 'filters'

type Ignored = {
  what: readonly Shared[]
  /** Says why the view ignores what the reader has chosen. The head of the view shows it then. */
  why?: string
}

export type ViewRow = {
  /** The folder below dashboard/views/, and the last part of the address. */
  name: string
  title: string
  /** `sites`: of all projects or the account. `project`: of one. */
  of: 'sites' | 'project'
  /** The group in the navigation; null: no entry there. */
  group: Group | null
  /** The key that opens the view, pressed after `g`. */
  key?: string
  /** The demo shows it too. */
  inDemo: boolean
  /** What its numbers do not depend on at an address. The toolbar leaves it out. */
  ignores?(address: Address): Ignored
  load(): Promise<{ default: View }>
}

/** No address chooses anything. */
const ALL = ['range', 'dates', 'comparison', 'audience', 'filters'] as const
const BOTS = 'Bots are counted by day and not stored, so there are fixed periods and no filters.'
const LINK = 'A share link shows this view as a whole: its filters do not hold here.'

const ignoresAll = (why?: string) => () => ({ what: ALL, ...(why !== undefined && { why }) })
/** Numbers of people alone, which nothing is compared with. */
const ofPeople = (): Ignored => ({ what: ['comparison', 'audience'] })
/** The same, of a list whose rows are compared. */
const ofCompared = (): Ignored => ({ what: ['audience'] })
/** The same, of a read that takes no filter of a share link. */
const ofConditions = (address: Address): Ignored =>
  hasConditions(address)
    ? ofPeople()
    : { what: ['comparison', 'audience', 'filters'], ...(address.filters.length > 0 && { why: LINK }) }

/**
 * Every view, in the order of the navigation within its group. A new view is a folder dashboard/views/<name>/
 * with view.tsx, and one row here (dashboard/README.md).
 */
export const views: readonly ViewRow[] = [
  {
    name: 'sites',
    title: TITLES.sites,
    of: 'sites',
    group: 'Sites',
    key: 'a',
    inDemo: false,
    ignores: () => ({
      what: ['dates', 'comparison', 'audience', 'filters'],
      why: 'All sites together are counted for fixed periods, each against the one before.',
    }),
    load: () => import('#dashboard/views/sites/view.tsx'),
  },
  {
    name: 'overview',
    title: TITLES.overview,
    of: 'project',
    group: 'Traffic',
    key: 'o',
    inDemo: true,
    ignores: ({ audience }) =>
      audience === 'people' ? { what: [] } : { what: ['dates', 'comparison', 'filters'], why: BOTS },
    load: () => import('#dashboard/views/overview/view.tsx'),
  },
  {
    name: 'live',
    title: TITLES.live,
    of: 'project',
    group: 'Traffic',
    key: 'l',
    inDemo: true,
    ignores: ignoresAll('What happens now: the chosen dates and filters do not hold here.'),
    load: () => import('#dashboard/views/live/view.tsx'),
  },
  {
    name: 'pages',
    title: TITLES.pages,
    of: 'project',
    group: 'Traffic',
    key: 'p',
    inDemo: true,
    ignores: ofCompared,
    load: () => import('#dashboard/views/pages/view.tsx'),
  },
  {
    name: 'sources',
    title: TITLES.sources,
    of: 'project',
    group: 'Traffic',
    key: 's',
    inDemo: true,
    ignores: ofCompared,
    load: () => import('#dashboard/views/sources/view.tsx'),
  },
  {
    name: 'revenue',
    title: TITLES.revenue,
    of: 'project',
    group: 'Traffic',
    key: 'y',
    inDemo: true,
    ignores: ofCompared,
    load: () => import('#dashboard/views/revenue/view.tsx'),
  },
  {
    name: 'bots',
    title: TITLES.bots,
    of: 'project',
    group: 'Traffic',
    key: 'b',
    inDemo: true,
    ignores: () => ({ what: ['dates', 'comparison', 'audience', 'filters'], why: BOTS }),
    load: () => import('#dashboard/views/bots/view.tsx'),
  },
  {
    name: 'funnel',
    title: TITLES.funnel,
    of: 'project',
    group: 'Behaviour',
    key: 'f',
    inDemo: true,
    ignores: ofConditions,
    load: () => import('#dashboard/views/funnel/view.tsx'),
  },
  {
    name: 'retention',
    title: TITLES.retention,
    of: 'project',
    group: 'Behaviour',
    key: 'r',
    inDemo: true,
    ignores: ofConditions,
    load: () => import('#dashboard/views/retention/view.tsx'),
  },
  {
    name: 'paths',
    title: TITLES.paths,
    of: 'project',
    group: 'Behaviour',
    key: 'w',
    inDemo: true,
    ignores: ofConditions,
    load: () => import('#dashboard/views/paths/view.tsx'),
  },
  {
    name: 'heatmap',
    title: TITLES.heatmap,
    of: 'project',
    group: 'Behaviour',
    key: 'h',
    inDemo: true,
    ignores: ofConditions,
    load: () => import('#dashboard/views/heatmap/view.tsx'),
  },
  {
    name: 'sessions',
    title: TITLES.sessions,
    of: 'project',
    group: 'Visitors',
    key: 'v',
    inDemo: true,
    ignores: ofPeople,
    load: () => import('#dashboard/views/sessions/view.tsx'),
  },
  {
    name: 'people',
    title: TITLES.people,
    of: 'project',
    group: 'Visitors',
    key: 'u',
    inDemo: true,
    ignores: ofPeople,
    load: () => import('#dashboard/views/people/view.tsx'),
  },
  {
    name: 'events',
    title: TITLES.events,
    of: 'project',
    group: 'Behaviour',
    key: 'e',
    inDemo: true,
    ignores: ofPeople,
    load: () => import('#dashboard/views/events/view.tsx'),
  },
  {
    name: 'experiments',
    title: TITLES.experiments,
    of: 'project',
    group: 'Behaviour',
    key: 'x',
    inDemo: true,
    ignores: ignoresAll('An experiment counts from its start, whatever dates and filters are chosen.'),
    load: () => import('#dashboard/views/experiments/view.tsx'),
  },
  {
    name: 'analysis',
    title: TITLES.analysis,
    of: 'project',
    group: 'Project',
    key: 'n',
    inDemo: false,
    ignores: ignoresAll(),
    load: () => import('#dashboard/views/analysis/view.tsx'),
  },
  {
    name: 'settings',
    title: TITLES.settings,
    of: 'project',
    group: 'Project',
    key: ',',
    inDemo: false,
    ignores: ignoresAll(),
    load: () => import('#dashboard/views/settings/view.tsx'),
  },
  {
    name: 'portfolios',
    title: TITLES.portfolios,
    of: 'sites',
    group: 'Account',
    key: 'i',
    inDemo: false,
    ignores: ignoresAll(),
    load: () => import('#dashboard/views/portfolios/view.tsx'),
  },
  {
    name: 'account',
    title: TITLES.account,
    of: 'sites',
    group: 'Account',
    key: 'm',
    inDemo: false,
    ignores: ignoresAll(),
    load: () => import('#dashboard/views/account/view.tsx'),
  },
]

/** Whether the numbers of a view depend on it at an address. */
export function uses(row: Pick<ViewRow, 'ignores'> | undefined, shared: Shared, address: Address): boolean {
  return row?.ignores?.(address).what.includes(shared) !== true
}

/** The range that the numbers of a view have at an address; null where it knows none. */
export function shownRange(row: Pick<ViewRow, 'ignores'>, address: Address): Range | null {
  if (!uses(row, 'range', address)) return null
  if (uses(row, 'dates', address)) return address.range
  return { label: periodOf(address.range, zoneOf(address)) }
}

/** Why a view leaves out dates or filters that were chosen; undefined where it leaves out none. */
export function whyNot(row: Pick<ViewRow, 'ignores'>, address: Address): string | undefined {
  const { range, filters } = address
  const hasChosen = filters.length > 0 || !PERIODS.some(each => 'label' in range && range.label === each)
  return hasChosen ? row.ignores?.(address).why : undefined
}

/** The row of a view; undefined for a name that no view has. */
export function viewNamed(name: string): ViewRow | undefined {
  return views.find(each => each.name === name)
}
