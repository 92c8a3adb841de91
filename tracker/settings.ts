/** The used part of the script element. It is a type of our own, so that this module runs in Node too. */
export type ScriptElement = { src: string; dataset: Record<string, string | undefined> }

/** The attributes of the script element: `dataset.trackSpa` is `data-track-spa` (docs/api/tracker.md). */
export let dataset: ScriptElement['dataset'] = {}
/** Origin of the script. Requests go there; without one the tracker does not run. */
export let endpoint = ''

/**
 * Takes the settings from the script element. Without an address, as in a script that was pasted into the
 * page, and for a user who does not want to be tracked, the tracker does not run.
 */
export function readSettings(script: ScriptElement | null): void {
  dataset = { ...script?.dataset }
  dataset.project ||= 'default'
  if (!dataset.token || !script!.src) console.warn('No data-token or src')
  if (!isOn('doNotTrack') || navigator.doNotTrack !== '1') endpoint = new URL(script!.src).origin
}

/** Returns whether an attribute is on. Only the text `true` switches it on. */
export function isOn(name: string): boolean {
  return dataset[name] === 'true'
}

/**
 * Returns whether events are printed and not sent: on a developer's machine, unless `data-localhost` is set
 * (docs/api/tracker.md).
 */
export function isPrintOnly(): boolean {
  return /^(localhost$|127\.|\[::1])/.test(location.hostname) && !isOn('localhost')
}
