import { listen, runAll } from './api.ts'
import { settle } from './later.ts'
import { pageTime } from './page-time.ts'

type Action = () => void

/** What runs each time the page is hidden or left, and between two routes. */
export const onHide: Action[] = []
export const onRestart: Action[] = []

export const isVisible = () => document.visibilityState === 'visible'

/** Since when the page or the route is visible, by `pageTime`; 0 while it is hidden. */
export let shownSince = isVisible() ? pageTime() : 0

/** Runs the action now, or at the first of the events if it must wait. */
export function runWhen(mustWait: unknown, types: string, action: Action): void {
  if (mustWait) listen(types, action)
  else action()
}

/**
 * Runs the action when the page is visible to the user: now, or after the browser shows a prerendered page.
 */
export function whenShown(action: Action): void {
  runWhen((document as Document & { prerendering?: boolean }).prerendering, 'prerenderingchange', action)
}

/**
 * Runs `report` once for each page or route, when it is hidden. `reset` runs at the start of each of them.
 */
export function reportOnce(report: Action, reset: Action): void {
  let isSent: boolean
  reset()
  onRestart.push(() => {
    isSent = false
    reset()
  })
  onHide.push(() => {
    if (!isSent) report()
    isSent = true
  })
}

/** Ends a view of the page: runs what waits for the page to be hidden, unless it is hidden already. */
function endView(): void {
  settle()
  if (shownSince) runAll(onHide)
}

/** Notes that the page is visible. */
export function showView(): void {
  shownSince ||= pageTime()
}

/** Ends the view of a page that is hidden or left. */
export function hideView(): void {
  endView()
  shownSince = 0
}

/** Ends a route of a visible page, and begins the next. */
export function restartView(): void {
  endView()
  shownSince &&= pageTime()
  runAll(onRestart)
}
