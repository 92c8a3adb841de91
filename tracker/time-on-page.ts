import { guarded } from './api.ts'
import { bare } from './clean.ts'
import { onHide, onRestart, shownSince } from './lifecycle.ts'
import { pathOf, routeAddress } from './page.ts'
import { pageTime } from './page-time.ts'
import { dataset } from './settings.ts'
import { readJson, write } from './storage.ts'
import { track } from './track.ts'

const MIN_HEARTBEAT_S = 15
/**
 * A timer of a visible page that is later than this was not late: the device slept, with a clock that went
 * on. More than a busy page delays it.
 */
const LATE_MS = 5000

/**
 * Sends `$time_on_page` each time the page is hidden: the seconds for which the page or route was visible so
 * far. The heartbeat saves them, so that a tab which the system kills loses less; the next page of the tab
 * then sends them (T3).
 */
export function watchTime(): void {
  const heartbeat = dataset.heartbeat as unknown as number
  if (!(heartbeat > 0)) return
  const beatMs = Math.max(heartbeat, MIN_HEARTBEAT_S) * 1000
  /**
   * How long the page or route was visible until it was counted the last time, and what was sent of it, s.
   */
  let visibleMs = 0
  let countedAt = 0
  let sentSeconds = 0
  const count = () => {
    const now = pageTime()
    visibleMs += Math.min(now - Math.max(countedAt, shownSince), beatMs + LATE_MS)
    countedAt = now
    return { time_on_page: (visibleMs / 1000) | 0, path: pathOf(new URL(routeAddress())) }
  }

  const saved = readJson('time')
  if (saved) track('$time_on_page', saved)
  setInterval(
    guarded(() => shownSince && write('time', JSON.stringify(bare(count())))),
    beatMs,
  )
  onHide.push(() => {
    const sent = count()
    write('time', null)
    // A page that comes back from the cache of the browser and begins anew was not seen any longer.
    if (sent.time_on_page > sentSeconds) track('$time_on_page', sent)
    sentSeconds = sent.time_on_page
  })
  onRestart.push(() => {
    visibleMs = sentSeconds = 0
  })
}
