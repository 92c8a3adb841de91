import { attempt, guarded } from './api.ts'
import { dataset, isOn } from './settings.ts'

/**
 * Matches the names of what belongs to the browser session: utm, sid, last_activity, time, experiments. All
 * other values belong to the user and stay in the local storage.
 */
const TAB_VALUE = /[my]|si/

type Value = string | number | null

/** Values that are not in a browser storage. They last as long as the page. */
const memory: Record<string, Value> = {}

/** Throws when the browser blocks the storage. */
function storageOf(name: string): Storage {
  return TAB_VALUE.test(name) ? sessionStorage : localStorage
}

/** A key names the project, because pages may carry several projects (docs/api/tracker.md). */
function keyOf(name: string): string {
  return `aa:${encodeURIComponent(dataset.token || dataset.project!)}:${name}`
}

/** Returns a stored value. It never throws. */
export const read = guarded((name: string): string | null | undefined =>
  name in memory ? (memory[name] as string) : storageOf(name)[keyOf(name)],
)

/** Returns a value that was stored as JSON, or null. It never throws. */
export function readJson(name: string) {
  return attempt(JSON.parse, read(name)!)
}

/**
 * Stores a value; null removes it. It stays in memory when the browser does not store it (a blocked or full
 * storage), and until the user consents. A removal is always tried, and counts as done when it fails. It
 * never throws.
 */
export function write(name: string, value: Value): void {
  memory[name] = value
  if (value === null || !isHeld()) persist(name)
}

/** Moves a value from memory to its storage. When the browser refuses that, the value stays in memory. */
const persist = guarded((name: string) => {
  if (memory[name] === null) delete storageOf(name)[keyOf(name)]
  else storageOf(name)[keyOf(name)] = memory[name]
  delete memory[name]
})

/**
 * Returns whether the user has opted out, or must consent and has not. Then nothing is sent, and values are
 * stored in memory only.
 */
export function isHeld(): unknown {
  return hasOptedOut() || ((isOn('requireConsent') || read('required')) && read('consent') !== 'granted')
}

/** From now on the consent is needed on this page. */
export function requireConsent(): void {
  dataset.requireConsent = 'true'
}

/** Returns what the user has said. */
export function consent(): string {
  return read('consent') || (read('required') ? 'refused' : 'unknown')
}

/**
 * Removes all of the user in this browser but what the user has said: the consent, its refusal, the opt-out.
 */
export function forget(): void {
  'identified_uid uid sid id sc fv ft last_activity utm time experiments'
    .split(' ')
    .forEach(name => void write(name, null))
}

/**
 * Removes the consent. From now on it is needed, also on later pages of the user (T7). So `required` is
 * stored without a consent, too: it is all that is known of the user's choice.
 */
export function removeConsent(): void {
  memory.required = 'true'
  persist('required')
  write('consent', null)
}

/** Stores the consent, and everything that is in memory. */
export function storeConsent(): void {
  write('consent', 'granted')
  Object.keys(memory).forEach(persist)
}

/**
 * Returns whether the user has opted out: of the project by `disabled`, or of all projects by `aa_disabled`
 * (T13).
 */
export const hasOptedOut: () => boolean | undefined = guarded(
  () =>
    read('disabled') === 'true' ||
    (window as { aa_disabled?: unknown }).aa_disabled === true ||
    localStorage.aa_disabled === 'true',
)
