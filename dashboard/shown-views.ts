import { readShared } from './shared.ts'
import type { Address } from './url.ts'
import { type ViewRow, views } from './views.ts'

/** The views that an area has. */
export function shownViews({ area }: Pick<Address, 'area'>): readonly ViewRow[] {
  if (area === 'account') return views
  if (area === 'demo') return views.filter(({ inDemo }) => inDemo)
  const chosen = readShared()?.views ?? []
  return views.filter(({ name, of }) => of === 'project' && chosen.includes(name))
}

/** Whether the area has numbers of agents and bots: a share link reads them only with the view of bots. */
export function hasBots({ area }: Pick<Address, 'area'>): boolean {
  return area !== 'share' || readShared()?.views.includes('bots') === true
}
