/** The ids of the user in this browser. */
export type Identity = { anonymousId: string; userId: string | null }

/** `window.aa`, the methods of the tracker. No method ever throws. */
export type Api = {
  /** Sends an event. A key that contains `email` is left out. */
  track(event: string, properties?: object): void
  /** Sends a page view. Default name: the title of the document. */
  page(name?: string): void
  /** Gives the user an id of your own, such as the id of an account, and optionally traits. */
  identify(id: string | number, traits?: object): void
  /** Adds properties to every later event of this page. Null removes a property. */
  set(properties: object): void
  /** Returns the user's variant of an experiment, or null when there is none. */
  experiment(name: string, variants?: string[]): string | null
  /** Returns the ids of the user, or null when the tracker does not run. */
  getIdentity(): Identity | null
  /** From now on, events wait until `grantConsent`. A consent that was given before counts. */
  requireConsent(): void
  /** Stores the consent and sends the events that wait. */
  grantConsent(): void
  /** Removes the consent, the ids of the user and the events that wait. Only the refusal is remembered. */
  revokeConsent(): void
  /** Returns what the user has said, or null when the tracker does not run. */
  consent(): 'granted' | 'refused' | 'unknown' | null
  /** Call it when the user signs out: what follows has a new anonymous id and a new session. */
  reset(): void
}

/** The attributes of the script element, without `data-`. */
export type TrackerOptions = {
  /**
   * Address of the script: `https://<your service>/tracker.js`, or `/tracker.core.js` for a site that only
   * counts.
   */
  src: string
  token: string
  project?: string
  /** Domains that belong together, separated by commas. */
  linkDomains?: string
  doNotTrack?: boolean
  requireConsent?: boolean
  localhost?: boolean
  /** The documents of an app (`file:`, `capacitor:`) send events, with an empty path. */
  app?: boolean
  /** Measures the time on the page; saved every so many seconds, at least 15. */
  heartbeat?: number
  trackSpa?: boolean
  /** Routes in the fragment (`#/cart`) have their path. */
  trackHash?: boolean
  /** A change of the query alone is a route, too. */
  trackQuery?: boolean
  trackOutgoing?: boolean
  trackClicks?: boolean
  trackErrors?: boolean
  trackPerformance?: boolean
  trackVitals?: boolean
  trackDownloads?: boolean
  trackForms?: boolean
  track404?: boolean
  trackScrollDepth?: boolean
}

/** Adds the script to the page, once. On a server it does nothing. */
export function loadTracker(options: TrackerOptions): void

/** The methods of `window.aa`. Calls before the script is there are made later, and then return null. */
export const aa: Api

declare global {
  interface Window {
    aa?: Api
    /** The same object as `aa`, where another library has that name. */
    footfall?: Api
  }
}
