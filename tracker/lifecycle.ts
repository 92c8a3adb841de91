/** Runs the action when the page is visible to the user: now, or after the browser shows a prerendered page. */
export function whenShown(action: () => void): void {
  const page = document as Document & { prerendering?: boolean }
  if (page.prerendering) document.addEventListener('prerenderingchange', action, { once: true })
  else action()
}

/** Runs the action once, when the page has its title: now, after the document is parsed, or when the user leaves earlier. */
export function whenReady(action: () => void): void {
  if (document.readyState !== 'loading') {
    action()
    return
  }
  let hasRun = false
  const runOnce = () => {
    if (hasRun) return
    hasRun = true
    action()
  }
  document.addEventListener('DOMContentLoaded', runOnce)
  addEventListener('pagehide', runOnce)
}

/** Runs the action each time the page may be about to close. */
export function onLeave(action: () => void): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') action()
  })
  addEventListener('pagehide', action)
  addEventListener('beforeunload', action)
}
