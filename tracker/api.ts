/** Calls a function, and returns null instead of throwing. */
export function attempt<A extends unknown[], R>(method: (...args: A) => R, ...args: A): R | undefined {
  return guarded(method)(...args)
}

/**
 * Wraps a function so that it returns null instead of throwing. Everything that the page or the browser calls
 * is wrapped.
 */
export function guarded<A extends unknown[], R>(method: (...args: A) => R): (...args: A) => R | undefined {
  return (...args) => {
    try {
      return method(...args)
    } catch {}
  }
}

/** Calls each function. One that throws does not keep the others from running. */
export function runAll(actions: (() => unknown)[]): void {
  for (const action of actions) attempt(action)
}

/**
 * Calls the handler for each event of these types, which are separated by spaces. The window sees all events
 * of the page first, so the handler runs before those of the page. Its exceptions never reach the page.
 */
export function listen<E extends Event>(types: string, handler: (event: E) => void): void {
  for (const type of types.split(' ')) addEventListener(type, guarded(handler) as EventListener, true)
}
