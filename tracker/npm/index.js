/** Calls that were made before the script was there. */
const waiting = []
let isOver = false

/**
 * Calls a method of the tracker, or keeps the call until the script is there. Where no script comes (a server, a blocked
 * request), calls do nothing.
 */
function call(name, args) {
  if (typeof window !== 'undefined' && window.aa) return window.aa[name](...args)
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
  ].map(name => [name, (...args) => call(name, args)]),
)

function end() {
  isOver = true
  for (const [name, args] of waiting.splice(0)) call(name, args)
}

/**
 * Adds the script of the service to the page, once. Option names are those of the attributes: `trackSpa` is
 * `data-track-spa`, and `track404` is `data-track-404`. Without a document, as on a server, it does nothing.
 */
export function loadTracker({ src, ...options }) {
  if (typeof document === 'undefined' || window.aa || document.querySelector('script[data-footfall]')) return
  const script = document.createElement('script')
  script.src = src
  script.async = true
  script.setAttribute('data-footfall', '')
  for (const [name, value] of Object.entries(options)) {
    const attribute = name.replace(/[A-Z]|404/g, part => `-${part.toLowerCase()}`)
    script.setAttribute(`data-${attribute}`, String(value))
  }
  script.addEventListener('load', end)
  script.addEventListener('error', end)
  document.head.append(script)
}
