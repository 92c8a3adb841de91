import { guarded, listen } from './api.ts'

type Action = () => void

/** What runs each time the page is hidden or left; again when it comes back; and between two routes. */
export const onHide: Action[] = []
export const onResume: Action[] = []
export const onRestart: Action[] = []

let isShown = false

export function runAll(actions: Action[]): void {
  for (const action of actions) guarded(action)()
}

/** Runs the action when the page is visible to the user: now, or after the browser shows a prerendered page. */
export function whenShown(action: Action): void {
  if ((document as Document & { prerendering?: boolean }).prerendering)
    listen(document, 'prerenderingchange', action)
  else action()
}

/** Runs the action once, when the page has its title: now, after the document is parsed, or when the user leaves earlier. */
export function whenReady(action: Action): void {
  let waiting: Action | undefined = action
  const runOnce = () => {
    waiting?.()
    waiting = undefined
  }
  if (document.readyState === 'loading') {
    listen(document, 'DOMContentLoaded', runOnce)
    listen(window, 'pagehide', runOnce)
  } else runOnce()
}

/** Ends a route: runs what waits for the page to be hidden, unless it is hidden. */
export function reportIfShown(): void {
  if (isShown) runAll(onHide)
}

/** Watches when the page is hidden and shown. `leave` runs after each hiding, and when the page may be about to close. */
export function watchVisibility(leave: Action): void {
  const change = ({ type }: Event) => {
    const wasShown = isShown
    isShown = type !== 'pagehide' && document.visibilityState === 'visible'
    if (isShown && !wasShown) runAll(onResume)
    if (wasShown && !isShown) runAll(onHide)
    if (!isShown || type === 'beforeunload') leave()
  }
  for (const type of ['visibilitychange', 'pagehide', 'pageshow', 'beforeunload'])
    listen(window, type, change)
  isShown = document.visibilityState === 'visible'
}
