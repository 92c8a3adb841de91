import type { Log } from '#core/ports'

export type ServiceLogOptions = {
  /** Takes one line, with its end. */
  write(line: string): void
  /** Unix ms. */
  now(): number
}

/** The same line is written once in this time, ms: a full disk refuses hundreds of requests a second. */
const REPEAT_MS = 1_000

/**
 * A log as lines of JSON. A line that repeats what was written within the last second is only counted; the next one
 * tells how many they were, as `repeated`.
 */
export function createServiceLog({ write, now }: ServiceLogOptions): Log {
  const recent = new Map<string, { at: number; repeated: number }>()
  return (code, fields = {}) => {
    const at = now()
    const key = JSON.stringify({ code, ...fields })
    for (const [other, { at: written, repeated }] of recent) {
      if (at - written >= REPEAT_MS && repeated === 0) recent.delete(other)
    }
    const before = recent.get(key)
    if (before !== undefined && at - before.at < REPEAT_MS) {
      before.repeated += 1
      return
    }
    const repeated = before !== undefined && before.repeated > 0 ? { repeated: before.repeated } : {}
    recent.set(key, { at, repeated: 0 })
    write(`${JSON.stringify({ at: new Date(at).toISOString(), code, ...fields, ...repeated })}\n`)
  }
}

/** The log of the service on the error output, so that the standard output stays for people. */
export const serviceLog = createServiceLog({ write: line => process.stderr.write(line), now: Date.now })
