/** What the script element says (contract 4.1). */
export type Config = {
  project: string
  token: string
  /** Origin of the script itself, which is where the events go. */
  endpoint: string
  doNotTrack: boolean
  requireConsent: boolean
  /** Send from localhost too, instead of only printing there. */
  sendFromLocalhost: boolean
}

/** The part of a script element that is read; its own type is not needed, so that this runs in Node too. */
export type ScriptElement = { src: string; dataset: Record<string, string | undefined> }

/**
 * Reads the attributes of the script element; only the literal `true` switches one on. Null when there is nothing to
 * send with: no token, or an address without an origin (a script that was pasted into the page).
 */
export function readConfig(script: ScriptElement): Config | null {
  const { token, project, doNotTrack, requireConsent, localhost } = script.dataset
  if (!token || !/^https?:/.test(script.src)) return null
  return {
    project: project || 'default',
    token,
    endpoint: new URL(script.src).origin,
    doNotTrack: doNotTrack === 'true',
    requireConsent: requireConsent === 'true',
    sendFromLocalhost: localhost === 'true',
  }
}

/** Hosts on which a developer looks at the page: there the events are printed, not sent (contract 4.6). */
export function isLocalHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
