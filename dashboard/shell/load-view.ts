import { shownViews } from '#dashboard/shown-views'
import type { Address } from '#dashboard/url'
import type { View } from '#dashboard/view'
import type { ViewRow } from '#dashboard/views'

/** Views whose script has come, by name: as many as the table of views has. */
const loaded = new Map<string, View>()

/** The view of a row whose script has come; null before that. */
export function loadedView(row: ViewRow): View | null {
  return loaded.get(row.name) ?? null
}

/** Loads the script of a view. Rejects when the service has no such file any more, or does not answer. */
export async function loadView(row: ViewRow): Promise<View> {
  const known = loaded.get(row.name)
  if (known !== undefined) return known
  const { default: view } = await row.load()
  loaded.set(row.name, view)
  return view
}

/** Loads the scripts of the other views while nothing else is to do, so that a click waits for none. */
export function loadOtherViews(address: Address): void {
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1_000))
  idle(() => {
    for (const row of shownViews(address)) loadView(row).catch(() => {})
  })
}
