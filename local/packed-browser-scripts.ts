import { readFile } from 'node:fs/promises'
import type { Dashboard } from '#dashboard/build'
import type { BuiltRecorder } from '#replay/build'
import type { ViewerScripts } from '#replay/viewer/build'
import type { Tracker } from '#tracker/build'

/** What browser-scripts.ts is in the package of the service: build-package.ts has built the scripts. */

export const builtTracker = () => built<Tracker>('tracker')
export const builtRecorder = () => built<BuiltRecorder>('recorder')
export const builtViewer = () => built<ViewerScripts>('viewer')
export const builtDashboard = () => built<Dashboard>('dashboard')
export const builtChatView = () => built<string>('chat-view')

const known = new Map<string, Promise<unknown>>()

/** Reads a file once, and again after a failure. */
function built<T>(name: string): Promise<T> {
  const before = known.get(name)
  if (before !== undefined) return before as Promise<T>
  const text = readFile(new URL(`../browser/${name}.json`, import.meta.url), 'utf8')
  const read = text.then(json => JSON.parse(json) as T)
  known.set(name, read)
  read.catch(() => known.delete(name))
  return read
}
