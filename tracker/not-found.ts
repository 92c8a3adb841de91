import { routeHref } from './navigation.ts'
import { navigationTiming } from './performance.ts'
import { isOn } from './settings.ts'
import { track } from './track.ts'

/**
 * Sends `$404` for a route whose `aa-status` meta is 404, and for a document that the server sent with this
 * status. The automatic properties of the event are all that it needs.
 */
export function checkNotFound(): void {
  if (!isOn('track-404')) return
  // The status of the document belongs to its first route only (T5). Later routes have an address.
  if (
    (!routeHref && navigationTiming()?.responseStatus === 404) ||
    document.querySelector('[name=aa-status][content="404"]')
  )
    track('$404')
}
