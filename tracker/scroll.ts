import { listen } from './api.ts'
import { reportOnce } from './lifecycle.ts'
import { track } from './track.ts'

/**
 * Sends `$scroll_depth` once for each page or route, when it is hidden: how far down the user has seen, in
 * percent. It reads the position when scrolling has ended, never during it, because that can force the
 * browser to compute the layout.
 */
export function watchScroll(): void {
  /** Lower edge of the lowest part that was visible, CSS px. */
  let lowest: number
  const measure = () => {
    lowest = Math.max(lowest, scrollY + innerHeight)
  }
  listen('scrollend', measure)
  reportOnce(
    () => {
      measure()
      const depth = Math.round((lowest / document.documentElement.scrollHeight) * 100)
      track('$scroll_depth', { scroll_depth: Math.min(100, depth) })
    },
    () => {
      lowest = 0
    },
  )
}
