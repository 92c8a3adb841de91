/** The used part of the script element. It is a type of our own, so that this module runs in Node too. */
export type ScriptElement = { src: string; dataset: Record<string, string | undefined> }

/** The attributes of the script element: `dataset.trackSpa` is `data-track-spa` (docs/api/tracker.md). */
export let dataset: ScriptElement['dataset'] = {}
/** Origin of the script. Requests go there; without one nothing can be sent. */
export let endpoint = ''

/**
 * Takes the settings from the script element. `endpoint` stays empty for a script that was pasted into the
 * page.
 */
export function readSettings(script: ScriptElement): void {
  endpoint = script.src.split('/', 3).join('/')
  dataset = script.dataset
}

/** Returns the name of the project. */
export function project(): string {
  return dataset.project || 'default'
}

/** Returns whether an attribute is on. Only the text `true` switches it on. */
export function isOn(name: string): boolean {
  return dataset[name] === 'true'
}

/**
 * Returns whether the host is a developer's machine, where events are printed and not sent
 * (docs/api/tracker.md).
 */
export function isLocalHost(hostname: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(hostname)
}
