import { guarded, listen } from './api.ts'

/**
 * Address of the current route. In a single-page application it changes after the events at the end of a
 * route, so these still have the address of their route. Empty: the address of the document.
 */
export let routeHref = ''

const nothing = () => {}

/** Begins the route that waits for its title. It runs before each event, and before the page is left. */
export let settleRoute = nothing

/** Begins a route when the page has its title, which `settleRoute` is called for. */
export function awaitTitle(begin: () => void): void {
  settleRoute = () => {
    settleRoute = nothing
    begin()
  }
}

/** Single-page applications often set the title of a route just after they change the address. */
const TITLE_MS = 100

/**
 * Watches the routes of a single-page application (docs/api/tracker.md). A route is path, query and fragment.
 * `end` runs at once when the route changes. `begin` runs a moment later, when the page had time to set its
 * title, but before any event of the new route.
 */
export function watchRoutes(end: () => void, begin: () => void): void {
  routeHref = location.href

  const change = guarded((event?: Event) => {
    if (location.href === routeHref && !(event as PageTransitionEvent)?.persisted) return
    settleRoute()
    end()
    routeHref = location.href
    awaitTitle(begin)
    setTimeout(
      guarded(() => settleRoute()),
      TITLE_MS,
    )
  })

  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name]
    history[name] = function (...state) {
      original.apply(this, state)
      change()
    }
  }
  listen('popstate hashchange pageshow', change)
}
