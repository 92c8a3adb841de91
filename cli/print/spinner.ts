import type { Io } from '#cli/io'
import { cleanText } from '#core/text/clean-text'
import { cutTo } from './width.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const FRAME_MS = 100
/** An answer within this time shows no spinner, because a line that only flashes disturbs. */
const DELAY_MS = 300
const MAX_CHARS = 400
const CLEAR = '\r\u001b[K'

export type Spinner = {
  /**
   * Shows what is awaited, and for how long already, until the work ends. Work within awaited work shows
   * nothing of its own. `atMostMs`: when the wait ends by itself.
   */
  during<T>(text: string, work: () => Promise<T>, atMostMs?: number): Promise<T>
  /** Removes the line, so that something else can be written. The next frame shows it again. */
  clear(): void
}

/** A spinner on the terminal of stderr; elsewhere it writes nothing. */
export function createSpinner({ stderr, env, clock, atExit }: Io): Spinner {
  const isShown = stderr.isTTY === true && env.TERM !== 'dumb'
  let isBusy = false
  let hasLine = false

  function clear(): void {
    if (hasLine) stderr.write(CLEAR)
    hasLine = false
  }

  return {
    clear,
    async during(text, work, atMostMs) {
      if (!isShown || isBusy) return work()
      isBusy = true
      const start = clock.now()
      const timer = setInterval(() => {
        const ms = clock.now() - start
        if (ms < DELAY_MS) return
        const frame = FRAMES[Math.floor(ms / FRAME_MS) % FRAMES.length]
        const line = `${frame} ${cleanText(text, MAX_CHARS)} (${elapsed(ms, atMostMs)})`
        stderr.write(CLEAR + cutTo(line, (stderr.columns || 80) - 1))
        hasLine = true
      }, FRAME_MS)
      // An interrupted wait ends the process, and the shell writes its prompt where the line was.
      const forget = atExit(clear)
      try {
        return await work()
      } finally {
        clearInterval(timer)
        forget()
        clear()
        isBusy = false
      }
    },
  }
}

function elapsed(ms: number, atMostMs: number | undefined): string {
  const limit = atMostMs === undefined ? '' : ` of ${Math.ceil(atMostMs / 1_000)} s`
  return limit === '' ? `${Math.floor(ms / 1_000)} s` : `${Math.floor(ms / 1_000)}${limit}`
}
