import { guarded } from './api.ts'
import { onHide, onRestart, shownSince } from './lifecycle.ts'
import { routePath } from './page.ts'
import { dataset } from './settings.ts'
import { readJson, write } from './storage.ts'
import { track } from './track.ts'

const MIN_HEARTBEAT_S = 15

/**
 * Sends `$time_on_page` each time the page is hidden: the seconds for which the page or route was visible so
 * far. The heartbeat saves them, so that a tab which the system kills loses less; the next page of the tab
 * then sends them (T3).
 */
export function watchTime(): void {
  const heartbeat = dataset.heartbeat as unknown as number
  if (!(heartbeat > 0)) return
  /** How long the page or route was visible before it was hidden the last time. */
  let earlierMs = 0
  const visibleMs = () => earlierMs + Date.now() - shownSince
  const properties = () => ({ time_on_page: (visibleMs() / 1000) | 0, path: routePath() })

  const saved = readJson('time')
  if (saved) track('$time_on_page', saved)
  setInterval(
    guarded(() => shownSince && write('time', JSON.stringify(properties()))),
    Math.max(heartbeat, MIN_HEARTBEAT_S) * 1000,
  )
  onHide.push(() => {
    const sent = properties()
    earlierMs = visibleMs()
    write('time', null)
    if (sent.time_on_page) track('$time_on_page', sent)
  })
  onRestart.push(() => {
    earlierMs = 0
  })
}
