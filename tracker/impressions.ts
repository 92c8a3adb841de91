import { readTag } from './clicks.ts'
import { findAll } from './page.ts'
import { track } from './track.ts'

const ATTRIBUTE = 'data-aa-impression'

const seen = new WeakSet<Element>()
let observer: IntersectionObserver | undefined

/**
 * Watches the elements with `data-aa-impression`, and sends `$impression` once for each when half of it is
 * visible (docs/api/tracker.md, T4). Call it for each route, because a route may add elements.
 */
export function watchImpressions(): void {
  for (const element of findAll(`[${ATTRIBUTE}]`)) {
    observer ||= new IntersectionObserver(
      entries => {
        for (const { target, intersectionRatio } of entries) {
          if (intersectionRatio < 0.5 || seen.has(target)) continue
          seen.add(target)
          const [name, properties] = readTag(target, ATTRIBUTE)
          track('$impression', { ...properties, name })
        }
      },
      { threshold: 0.5 },
    )
    observer.observe(element)
  }
}
