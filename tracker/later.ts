import { guarded } from './api.ts'

type Action = () => void

/** Maximum number of actions that wait. More of them run at once. */
const MAX_ACTIONS = 1000

const actions: Action[] = []
let isBusy = true

/**
 * Runs the action when the browser has evaluated the script, or at once if it has. So the first page view costs the load of
 * a page little: storages, the campaign and the device are read later.
 */
export function later(action: Action): void {
  if (actions.push(action) > MAX_ACTIONS || !isBusy) settle()
}

/** Runs all actions that wait, in their order. */
export function settle(): void {
  isBusy = false
  for (const action of actions.splice(0)) guarded(action)()
}
