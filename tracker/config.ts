/** The settings from the attributes of the script element (contract 4.1). */
export type Config = {
  project: string
  token: string
  /** Origin of the script. Events go there. */
  endpoint: string
  doNotTrack: boolean
  requireConsent: boolean
  /** Whether events from localhost are sent. By default they are only printed. */
  sendFromLocalhost: boolean
}

/** The used part of a script element. It is a type of our own, so that this module runs in Node too. */
export type ScriptElement = { src: string; dataset: Record<string, string | undefined> }

/**
 * Reads the attributes of the script element. Only the text `true` switches an attribute on. Returns null without a token,
 * or without an http(s) address (a script that was pasted into the page): then nothing can be sent.
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

/** Returns whether the host is a developer's machine, where events are printed and not sent (contract 4.6). */
export function isLocalHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
