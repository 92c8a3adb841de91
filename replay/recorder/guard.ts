/**
 * Wraps what the browser calls (timers, listeners, methods of `window.aaReplay`): an exception of ours must
 * not reach the error handlers of the page.
 */
export function guard<A extends unknown[]>(method: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      method(...args)
    } catch (error) {
      console.warn('replay.js:', String(error))
    }
  }
}
