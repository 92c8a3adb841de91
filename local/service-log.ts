import type { Log } from '#core/ports'
import { withoutSecrets } from '#core/text/hide-secrets'

export type ServiceLogOptions = {
  /** Writes one line, including its line break. */
  write(line: string): void
  /** The current time, Unix ms. */
  now(): number
}

/**
 * A repeated line is written once in this time, ms. Without this limit a full disk would log hundreds of
 * lines a second.
 */
const REPEAT_MS = 1_000

/**
 * Logs lines of JSON without secrets. A line that equals one of the last second is not written but counted.
 * Once the second is over, the next call of the log first writes that line again, with the count as
 * `repeated`.
 */
export function createServiceLog({ write, now }: ServiceLogOptions): Log {
  const recent = new Map<string, { writtenAt: number; repeated: number }>()
  return (code, fields = {}) => {
    const at = now()
    const line = JSON.stringify(withoutSecrets({ code, ...fields })).slice(1, -1)
    for (const [earlier, { writtenAt, repeated }] of recent) {
      if (at - writtenAt < REPEAT_MS) continue
      recent.delete(earlier)
      if (repeated > 0) writeLine(at, `${earlier},"repeated":${repeated}`)
    }
    const first = recent.get(line)
    if (first !== undefined) {
      first.repeated += 1
      return
    }
    recent.set(line, { writtenAt: at, repeated: 0 })
    writeLine(at, line)
  }

  function writeLine(at: number, line: string): void {
    write(`{"at":"${new Date(at).toISOString()}",${line}}\n`)
  }
}

/** The log of the service. It goes to standard error, because standard output is for people. */
export const serviceLog = createServiceLog({ write: line => process.stderr.write(line), now: Date.now })
