import { guarded } from './api.ts'
import { onHide, onRestart, onResume } from './lifecycle.ts'
import { routeProperties } from './page.ts'
import { dataset } from './settings.ts'
import { read, write } from './storage.ts'
import { track } from './track.ts'

const MIN_HEARTBEAT_S = 15

/**
 * Sends `$time_on_page` each time the page is hidden: the seconds for which the page or route was visible so far. The
 * heartbeat saves them, so that a tab which the system kills loses less; the next page of the tab then sends them (T3).
 */
export function watchTime(): void {
  const heartbeat = Number(dataset.heartbeat)
  if (!(heartbeat > 0)) return
  let visibleMs = 0
  /** Unix ms; 0 while the page is hidden. */
  let visibleSince = 0

  const resume = () => {
    visibleSince = document.visibilityState === 'visible' ? Date.now() : 0
  }
  const properties = () => {
    const now = Date.now()
    visibleMs += now - (visibleSince || now)
    visibleSince &&= now
    return { time_on_page: Math.floor(visibleMs / 1000), path: routeProperties().path }
  }

  resume()
  const saved = guarded(JSON.parse)(read('time')!)
  if (saved) track('$time_on_page', saved)
  setInterval(
    guarded(() => visibleSince && write('time', JSON.stringify(properties()))),
    Math.max(heartbeat, MIN_HEARTBEAT_S) * 1000,
  )
  onHide.push(() => {
    const sent = properties()
    if (sent.time_on_page) track('$time_on_page', sent)
    write('time', null)
    visibleSince = 0
  })
  onResume.push(resume)
  onRestart.push(() => {
    visibleMs = 0
    resume()
  })
}
