/** What the script elements of the page say. */
export type PageScripts = {
  token: string
  /** Origin of the script: requests go there. */
  endpoint: string
  /** Whether an attribute is `true` at the element of the recorder or of the tracker. */
  isOn(name: string): boolean
}

/**
 * Reads the script elements. The token may stand at the recorder or at the tracker. Null: without a token
 * nothing can be recorded, or the script was pasted into the page, so its service is not known.
 */
export function readScripts(): PageScripts | null {
  const own =
    (document.currentScript as HTMLScriptElement | null) ??
    document.querySelector<HTMLScriptElement>('script[src$="/replay.js"],script[src*="/replay/recorder/"]')
  const token =
    own?.dataset.token ?? document.querySelector<HTMLScriptElement>('script[src][data-token]')?.dataset.token
  if (!own?.src || !token) return null
  const isOn = (name: string) =>
    [own, ...document.querySelectorAll<HTMLScriptElement>('script[data-token]')].some(
      ({ dataset }) => (dataset.token ?? token) === token && dataset[name] === 'true',
    )
  return { token, endpoint: new URL(own.src).origin, isOn }
}
