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
 * A log as lines of JSON. A line that repeats what was written within the last second is only counted; before the
 * next line of any kind it comes once more, with how many they were as `repeated`.
 */
export function createServiceLog({ write, now }: ServiceLogOptions): Log {
  const recent = new Map<string, { at: number; repeated: number }>()
  return (code, fields = {}) => {
    const at = now()
    const line = JSON.stringify({ code, ...fields }).slice(1, -1)
    for (const [other, { at: written, repeated }] of recent) {
      if (at - written < REPEAT_MS) continue
      recent.delete(other)
      if (repeated > 0) writeLine(at, `${other},"repeated":${repeated}`)
    }
    const before = recent.get(line)
    if (before !== undefined) {
      before.repeated += 1
      return
    }
    recent.set(line, { at, repeated: 0 })
    writeLine(at, line)
  }

  function writeLine(at: number, line: string): void {
    write(`{"at":"${new Date(at).toISOString()}",${line}}\n`)
  }
}

/** The log of the service on the error output, so that the standard output stays for people. */
export const serviceLog = createServiceLog({ write: line => process.stderr.write(line), now: Date.now })
