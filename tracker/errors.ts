import { cleanAddress, redactError } from './address.ts'
import { listen } from './api.ts'
import { cutText } from './clean.ts'
import { onRestart } from './lifecycle.ts'
import { track } from './track.ts'

const MESSAGE_CHARS = 500
/** Maximum number of different errors of a page view. */
const ERRORS = 5

/** Sends `$error` for errors and rejected promises that the page does not handle. */
export function watchErrors(): void {
  const sent = new Set<string>()
  onRestart.push(() => sent.clear())

  function report(error: unknown, file = '', line = 0, col = 0): void {
    const message = cutText(redactError(String(error)), MESSAGE_CHARS)
    const source = redactError(cleanAddress(file))
    const key = message + source + line
    if (sent.has(key) || sent.size >= ERRORS) return
    sent.add(key)
    track('$error', { message, source, line, col })
  }

  // Elements that fail to load also send `error`, without a message.
  listen<ErrorEvent>(window, 'error', ({ message, filename, lineno, colno }) => {
    if (message) report(message, filename, lineno, colno)
  })
  listen<PromiseRejectionEvent>(window, 'unhandledrejection', ({ reason }) =>
    report(reason?.message ?? reason),
  )
}
