import { forgetAll, onSignedOut, refresh } from './answers.ts'
import { currentAddress } from './navigate.ts'
import { forgetRemembered } from './remembered.ts'

/** The session of this browser: where the page goes when it is over, and how a person ends it. */

let isLeaving = false

function leave(to: string): void {
  // Each answer that says so comes here, and a second address would stop the way to the first.
  if (isLeaving) return
  isLeaving = true
  location.assign(to)
}

/** Leads to the sign-in page when the service says that the session is over. Call it once. */
export function followSession(): void {
  onSignedOut(() => {
    // The demo gets a new session by itself.
    if (currentAddress().area === 'demo') return
    leave(`/auth/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`)
  })
  // Back may show this page as it was left. Whether its session still holds, only the service knows.
  addEventListener('pageshow', ({ persisted }) => {
    isLeaving = false
    if (persisted) refresh()
  })
}

/** Whether a person is signed in here: not in the demo, and not with a share link. */
export function canSignOut(): boolean {
  return formToken() !== null
}

/**
 * Ends the session of this browser, forgets what the service has told, and shows the sign-in page. Returns
 * why it failed; null while the page leaves.
 */
export async function signOut(): Promise<string | null> {
  const response = await fetch('/auth/logout', {
    method: 'POST',
    headers: { Accept: 'application/json' },
    body: new URLSearchParams({ csrf: formToken() ?? '' }),
  }).catch(() => null)
  // 401: it was over already.
  if (response === null) return 'The service does not answer. You are still signed in.'
  if (!response.ok && response.status !== 401)
    return 'You are still signed in. Load the page again, then sign out.'
  forgetRemembered()
  leave('/auth/sign-in')
  forgetAll()
  return null
}

/** The page has it as all forms of signed-in pages have it. */
function formToken(): string | null {
  return document.getElementById('app')?.dataset.csrf ?? null
}
