import { cleanAddress, redactError } from './address.ts'
import { listen } from './api.ts'
import { onRestart } from './lifecycle.ts'
import { track } from './track.ts'

const MESSAGE_CHARS = 500
/** Maximum number of different errors of a page view. */
const ERRORS = 5

/** Sends `$error` for errors and rejected promises that the page does not handle. */
export function watchErrors(): void {
  let sent: string[] = []
  onRestart.push(() => {
    sent = []
  })

  listen<ErrorEvent & PromiseRejectionEvent>(
    'error unhandledrejection',
    ({ type, message, reason, filename = '', lineno: line = 0, colno: col = 0 }) => {
      // Elements that fail to load also send `error`, without a message.
      if (type === 'error' && !message) return
      const error = redactError(String(message ?? reason?.message ?? reason)).slice(0, MESSAGE_CHARS)
      const source = redactError(cleanAddress(filename))
      const key = error + source + line
      if (sent.includes(key) || sent[ERRORS - 1]) return
      sent.push(key)
      track('$error', { message: error, source, line, col })
    },
  )
}
