import { attempt, listen } from './api.ts'
import { settle } from './later.ts'
import { settleRoute } from './navigation.ts'
import { flush } from './queue.ts'

type Action = () => void

/** What runs each time the page is hidden or left, and between two routes. */
export const onHide: Action[] = []
export const onRestart: Action[] = []

const isVisible = () => document.visibilityState === 'visible'

/** Since when the page or the route is visible, Unix ms; 0 while it is hidden. */
export let shownSince = isVisible() ? Date.now() : 0

export function runAll(actions: Action[]): void {
  for (const action of actions) attempt(action)
}

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
  const restart = () => {
    isSent = false
    reset()
  }
  restart()
  onRestart.push(restart)
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

/** Ends a route of a visible page, and begins the next. */
export function restartView(): void {
  endView()
  shownSince &&= Date.now()
  runAll(onRestart)
}

/**
 * Watches when the page is hidden and shown. Sends what waits after each hiding, and when the page may be
 * about to close.
 */
export function watchVisibility(): void {
  const change = ({ type }: Event) => {
    if (type !== 'pagehide' && isVisible()) shownSince ||= Date.now()
    else {
      endView()
      shownSince = 0
    }
    if (shownSince && type !== 'beforeunload') return
    settleRoute()
    flush()
  }
  listen('visibilitychange pagehide pageshow beforeunload', change)
}
