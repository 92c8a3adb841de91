/** When the page is really looked at: now, or when a page that the browser prepared ahead is shown (if ever). */
export function whenShown(action: () => void): void {
  const page = document as Document & { prerendering?: boolean }
  if (page.prerendering) document.addEventListener('prerenderingchange', action, { once: true })
  else action()
}

/** When the page has its title: now, or when the document is read, or when it is left before that. */
export function whenReady(action: () => void): void {
  if (document.readyState !== 'loading') {
    action()
    return
  }
  let done = false
  const once = () => {
    if (done) return
    done = true
    action()
  }
  document.addEventListener('DOMContentLoaded', once)
  addEventListener('pagehide', once)
}

/** Each time the page may be about to go away. */
export function whenLeft(action: () => void): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') action()
  })
  addEventListener('pagehide', action)
  addEventListener('beforeunload', action)
}
