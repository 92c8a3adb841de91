import type { Log } from '#core/ports'
import { caught } from './caught.ts'

/** How often the parent is looked at, ms: far less than a supervisor waits before it starts npm again. */
const LOOK_MS = 250

/**
 * Calls `onEnd` once when npm has ended before the service that it started, as after `kill -9` of npm or
 * `kill` of its shell. The service would keep its port and its data folder, and nobody would know it. A
 * service that was started without npm has no parent to follow: the shell that began it may end.
 */
export function watchParent(
  environment: Record<string, string | undefined>,
  log: Log,
  onEnd: () => unknown,
): void {
  if (environment.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const look = () => {
    if (process.ppid === parent) return
    clearInterval(timer)
    return onEnd()
  }
  const timer = setInterval(caught(log, 'parent', look), LOOK_MS)
  timer.unref()
}
