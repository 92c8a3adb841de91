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
