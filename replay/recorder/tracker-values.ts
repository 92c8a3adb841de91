import type { PageScripts } from './page-scripts.ts'

/** The tracker begins a new session after this time without an event, ms. */
const SESSION_MS = 30 * 60_000

/**
 * What the tracker has stored in the browser (docs/api/tracker.md): session, user, consent and opt-out. The
 * recorder has none of its own.
 */
export function createTrackerValues({ token, isOn }: Pick<PageScripts, 'token' | 'isOn'>) {
  const prefix = `aa:${encodeURIComponent(token)}:`
  /** When this document began, Unix ms. The tracker stores the time of its last event. */
  const begunAt = performance.timing?.domLoading ?? performance.timeOrigin
  let hasTracked = false

  /**
   * Null where the browser forbids the storage: then the tracker has stored nothing, and nothing is recorded.
   */
  const read = (storage: 'local' | 'session', key: string) => {
    try {
      return (storage === 'local' ? localStorage : sessionStorage).getItem(key)
    } catch {
      return null
    }
  }
  const local = (name: string) => read('local', prefix + name)

  /** Whether the user has opted out, or must consent to tracking and has not. */
  function isHeld(): boolean {
    const isRequired = isOn('requireConsent') || local('required') === 'true'
    return (
      (globalThis as { aa_disabled?: unknown }).aa_disabled === true ||
      local('disabled') === 'true' ||
      read('local', 'aa_disabled') === 'true' ||
      (isRequired && local('consent') !== 'granted')
    )
  }

  /**
   * Returns the session, or null as long as the tracker has stored no event of this page. It stores none for
   * a user who has opted out or has not consented, also where a page asks for the consent by a call.
   */
  function session(): string | null {
    const last = Number(read('session', `${prefix}last_activity`))
    hasTracked ||= last >= begunAt
    return hasTracked && Date.now() - last < SESSION_MS ? read('session', `${prefix}sid`) : null
  }

  /** The id that the events of the user carry. */
  const userId = () => local('identified_uid') || local('uid') || undefined

  return { isHeld, session, userId }
}

export type TrackerValues = ReturnType<typeof createTrackerValues>
