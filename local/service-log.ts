import type { Log } from '#core/ports'

/** Logs as lines of JSON on the error output, so that the standard output stays for people. */
export const serviceLog: Log = (code, fields = {}) => {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), code, ...fields })}\n`)
}
