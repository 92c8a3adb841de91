import { guarded, listen } from './api.ts'
import { settle, waitFor } from './later.ts'
import { restartView } from './lifecycle.ts'
import { pageTime } from './page-time.ts'
import { IS_FULL } from './parts.ts'
import { flush } from './queue.ts'
import { isOn } from './settings.ts'

/**
 * Address of the current route. In a single-page application it changes after the events at the end of a
 * route, so these still have the address of their route. Empty: the address of the document.
 */
export let routeHref = ''

/** A route is drawn a moment after its address has changed. */
const DRAWN_MS = 100
/** Single-page applications set the title of a route later, often when its data has come. */
const TITLE_MS = 2000

/**
 * Returns the part of an address that tells routes apart. A query alone does not, also not that of a path in
 * the fragment: an application writes there what the user types into a search, letter by letter.
 */
function routeOf(address: string): string {
  return IS_FULL && isOn('trackQuery') ? address : address.replace(/\?[^#]*/g, '')
}

/**
 * Watches the routes of a single-page application (docs/api/tracker.md). The old one ends at once. `view`
 * counts the new one when it has its title, at the latest before the page is left, and all events of the new
 * route wait until then. `read` runs when the route is drawn.
 */
export function watchRoutes(view: (since: number) => void, read: () => void): void {
  routeHref = location.href
  let timer: ReturnType<typeof setTimeout>

  const change = guarded((event?: Event) => {
    if (routeOf(location.href) === routeOf(routeHref) && !(event as PageTransitionEvent)?.persisted) return
    if (IS_FULL) restartView()
    flush()
    routeHref = location.href
    const begunAt = pageTime()
    waitFor(() => view(begunAt))
    if (IS_FULL) setTimeout(read, DRAWN_MS)
    clearTimeout(timer)
    timer = setTimeout(settle, TITLE_MS)
  })

  for (const name of ['pushState', 'replaceState'] as const) {
    // The function stays that of the page or of the browser, also in what it returns and throws.
    history[name] = new Proxy(history[name], {
      apply(original, ...call) {
        const result = Reflect.apply(original, ...call)
        change()
        return result
      },
    })
  }
  listen('popstate hashchange pageshow', change)
}
