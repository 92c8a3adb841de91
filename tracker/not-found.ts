import { navigationTiming } from './performance.ts'
import { isOn } from './settings.ts'
import { track } from './track.ts'

/** The status of the document belongs to its first route only (T5). */
let isFirstRoute = true

/**
 * Sends `$404` for a route whose `aa-status` meta is 404, and for a document that the server sent with this
 * status. The automatic properties of the event are all that it needs.
 */
export function checkNotFound(): void {
  if (!isOn('track-404')) return
  const isStatus = isFirstRoute && navigationTiming()?.responseStatus === 404
  isFirstRoute = false
  if (isStatus || document.querySelector('meta[name=aa-status][content="404"]')) track('$404')
}
