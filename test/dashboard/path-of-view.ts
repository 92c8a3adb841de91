import { DEFAULTS, printAddress } from '#dashboard/url'
import type { ViewRow } from '#dashboard/views'

/** The address of a view without anything chosen; that of a view of projects is of `project`. */
export function pathOfView({ name, of }: Pick<ViewRow, 'name' | 'of'>, project = 'demo'): string {
  const place = { ...DEFAULTS, area: 'account', view: name } as const
  return printAddress({ ...place, project: of === 'project' ? project : null })
}
