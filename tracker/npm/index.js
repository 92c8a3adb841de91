/** Calls that were made before the script was there. */
const waiting = []
let isOver = false

/**
 * Calls a method of the tracker, or keeps the call until the script is there. Where no script comes (a server, a blocked
 * request), calls do nothing.
 */
function call(name, args) {
  if (typeof globalThis.footfall === 'function') return globalThis.footfall[name](...args)
  if (typeof window !== 'undefined' && !isOver) waiting.push([name, args])
  return null
}

/** The methods of `window.aa`. Calls before the script is there are made later, and then return null. */
export const aa = Object.fromEntries(
  [
    'track',
    'page',
    'identify',
    'set',
    'experiment',
    'getIdentity',
    'requireConsent',
    'grantConsent',
    'revokeConsent',
    'consent',
    'reset',
  ].map(name => [name, (...args) => call(name, args)]),
)

function end() {
  isOver = true
  for (const [name, args] of waiting.splice(0)) call(name, args)
}

/** Returns the address for Trusted Types. Without our policy the default one of the page decides about it. */
function trusted(src) {
  try {
    return trustedTypes.createPolicy('footfall', { createScriptURL: () => src }).createScriptURL('')
  } catch {
    return src
  }
}

/**
 * Adds the script of the service to the page, once. Option names are those of the attributes: `trackSpa` is
 * `data-track-spa`, and `track404` is `data-track-404`. Without a document, as on a server, it does nothing. Where the
 * page forbids the script, it says so in the console, and calls do nothing.
 */
export function loadTracker({ src, ...options }) {
  if (typeof document === 'undefined' || typeof globalThis.footfall === 'function') return
  if (isOver || document.querySelector('script[data-footfall]')) return
  try {
    const script = document.createElement('script')
    script.src = trusted(src)
    script.async = true
    script.setAttribute('data-footfall', '')
    for (const [name, value] of Object.entries(options)) {
      const attribute = name.replace(/[A-Z]|404/g, part => `-${part.toLowerCase()}`)
      script.setAttribute(`data-${attribute}`, String(value))
    }
    script.addEventListener('load', end)
    script.addEventListener('error', end)
    document.head.append(script)
  } catch (error) {
    console.warn(
      'Footfall: the page forbids the script. Add `trusted-types footfall` to its policy.',
      String(error),
    )
    end()
  }
}
