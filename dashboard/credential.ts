/**
 * The demo has a session of its own, which anybody gets, and a share link is a credential itself; elsewhere
 * the browser sends its cookie. The token of the demo is kept in memory alone: a reload asks for a new one.
 */

type Session = { token: string; endsAt: number }

/** A token is replaced before it ends, ms. */
const EARLY_MS = 60_000

let isDemo = false
let link: string | null = null
let session: Promise<Session> | null = null

/** Whether further calls are those of the demo. */
export function useDemo(on: boolean): void {
  isDemo = on
}

/** Further calls read what the share link with this secret shows. */
export function useShareLink(secret: string): void {
  link = secret
}

export function hasShareLink(): boolean {
  return link !== null
}

/** The headers of a call that say who asks. Calls at the same time share one session. */
export async function credential(): Promise<Record<string, string>> {
  if (link !== null) return { Authorization: `Bearer ${link}` }
  if (!isDemo) return {}
  session ??= startDemo()
  const asked = session
  const known = await asked.catch(error => {
    if (session === asked) session = null
    throw error
  })
  if (known.endsAt - EARLY_MS > Date.now()) return { Authorization: `Bearer ${known.token}` }
  if (session === asked) session = null
  return credential()
}

/** Forgets the session of the demo, which the service has refused. */
export function forgetDemo(): void {
  session = null
}

async function startDemo(): Promise<Session> {
  const response = await fetch('/demo/session', { method: 'POST', headers: { Accept: 'application/json' } })
  const body = await response.json()
  if (!response.ok) throw new Error(String(body?.message ?? 'There is no demo here.'))
  const { access_token, access_expires_at } = body.agent_session
  return { token: access_token, endsAt: access_expires_at }
}
