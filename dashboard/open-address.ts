import { useDemo, useShareLink } from './credential.ts'
import { currentAddress, go } from './navigate.ts'
import { shownViews } from './shown-views.ts'
import type { ViewRow } from './views.ts'

/**
 * Chooses the credential of the area that a page was opened in. Returns the row of the view of its address;
 * undefined if the area has none of that name.
 */
export function openAddress(): ViewRow | undefined {
  const start = currentAddress()
  useDemo(start.area === 'demo')
  const shown = shownViews(start)
  if (start.secret !== undefined) {
    useShareLink(start.secret)
    // A link need not show the overview.
    const [first] = shown
    if (first !== undefined && !shown.some(({ name }) => name === start.view))
      go({ ...start, view: first.name }, true)
  }
  return shown.find(({ name }) => name === currentAddress().view)
}
