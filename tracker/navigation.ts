import { guarded, listen } from './api.ts'
import { setRouteAddress } from './page.ts'
import { setSettleRoute } from './track.ts'

/** Single-page applications often set the title of a route just after they change the address. */
const TITLE_MS = 100

/**
 * Watches the routes of a single-page application (contract 4.4). A route is path, query and fragment. `end` runs at once
 * when the route changes. `begin` runs a moment later, when the page had time to set its title, but before any event of the
 * new route.
 */
export function watchRoutes(end: () => void, begin: () => void): void {
  let route = location.href
  let timer: ReturnType<typeof setTimeout> | 0 = 0
  setRouteAddress(route)

  const settle = () => {
    if (!timer) return
    clearTimeout(timer)
    timer = 0
    begin()
  }
  const change = guarded((event?: Event) => {
    if (location.href === route && !(event as PageTransitionEvent)?.persisted) return
    settle()
    end()
    route = location.href
    setRouteAddress(route)
    timer = setTimeout(guarded(settle), TITLE_MS)
  })

  setSettleRoute(settle)
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = function (...state) {
      original.apply(this, state)
      change()
    }
  }
  listen('popstate hashchange pageshow', change)
}
