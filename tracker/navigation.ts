import { guarded, listen } from './api.ts'
import { actions, settle } from './later.ts'
import { restartView } from './lifecycle.ts'
import { flush } from './queue.ts'

/**
 * Address of the current route. In a single-page application it changes after the events at the end of a
 * route, so these still have the address of their route. Empty: the address of the document.
 */
export let routeHref = ''

/** Single-page applications often set the title of a route just after they change the address. */
const TITLE_MS = 100

/**
 * Watches the routes of a single-page application (docs/api/tracker.md). A route is path, query and fragment.
 * The old one ends at once. `begin` runs a moment later, when the page had time to set its title, but before
 * any event of the new route.
 */
export function watchRoutes(begin: () => void): void {
  routeHref = location.href

  const change = guarded((event?: Event) => {
    if (location.href === routeHref && !(event as PageTransitionEvent)?.persisted) return
    restartView()
    flush()
    routeHref = location.href
    actions.push(begin)
    setTimeout(settle, TITLE_MS)
  })

  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = (...state) => {
      original.apply(history, state)
      change()
    }
  }
  listen('popstate hashchange pageshow', change)
}
