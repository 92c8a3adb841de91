import { runAll } from './api.ts'

type Action = () => void

/** Maximum number of actions that wait. More of them run at once. */
const MAX_ACTIONS = 1000

/** What waits, in its order. Anything that calls `later` or sends runs all of it first. */
const actions: Action[] = []
/**
 * Whether the route has begun: the document is parsed, or the route of a single-page application has its
 * title, or the user leaves it earlier.
 */
export let isReady = false

/**
 * Runs the action when the document is parsed and the script is evaluated, or at once if that is so. So the
 * first page view costs the load of a page little: storages, the campaign and the device are read later.
 */
export function later(action: Action): void {
  if (actions.push(action) > MAX_ACTIONS || isReady) settle()
}

/** Runs all actions that wait, in their order. */
export function settle(): void {
  runAll(actions.splice(0))
}

/** From now on, actions do not wait. */
export function endWait(): void {
  isReady = true
}

/** From now on, actions wait until `settle` runs this one before them. */
export function waitFor(action: Action): void {
  isReady = false
  actions.push(() => {
    isReady = true
    action()
  })
}
