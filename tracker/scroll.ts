import { listen } from './api.ts'
import { onHide, onRestart } from './lifecycle.ts'
import { routeProperties } from './page.ts'
import { track } from './track.ts'

/**
 * Sends `$scroll_depth` once for each page or route, when it is hidden: how far down the user has seen, in percent. It reads
 * the position when scrolling has ended, never during it, because that can force the browser to compute the layout.
 */
export function watchScroll(): void {
  /** Lower edge of the lowest part that was visible, CSS px. */
  let lowest = 0
  let isSent = false
  const measure = () => {
    lowest = Math.max(lowest, scrollY + innerHeight)
  }
  listen(document, 'scrollend', measure)
  onHide.push(() => {
    if (isSent) return
    isSent = true
    measure()
    const depth = (lowest / document.documentElement.scrollHeight) * 100
    track('$scroll_depth', { scroll_depth: Math.min(100, Math.round(depth)), path: routeProperties().path })
  })
  onRestart.push(() => {
    lowest = 0
    isSent = false
  })
}
