import type { Io } from '#cli/io'
import { cutTo } from './width.ts'

const OPEN = '\u001b[?1049h\u001b[?25l'
const CLOSE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'

export type Screen = {
  /**
   * Replaces the picture, with the status below it. Lines for which the terminal has no row are left out, and
   * the status says so.
   */
  draw(picture: string, status: string): void
  close(): void
}

/**
 * The second screen of the terminal, for a picture that is drawn again and again. Each line replaces the one
 * before it, so nothing flickers. The first screen comes back when it closes, and however the process ends.
 */
export function openScreen({ stdout, atExit }: Io): Screen {
  let isOpen = true
  stdout.write(OPEN)
  const close = () => {
    if (isOpen) stdout.write(CLOSE)
    isOpen = false
    forget()
  }
  const forget = atExit(close)
  return {
    close,
    draw(picture, status) {
      const rows = Math.max(2, stdout.rows || 24)
      const all = picture.split('\n')
      const shown = all.slice(0, rows - 1)
      const hidden = all.length - shown.length
      const more = hidden === 0 ? '' : `${hidden} more lines in a taller window. `
      const lines = [...shown, cutTo(more + status, (stdout.columns || 80) - 1)]
      stdout.write(HOME + lines.map(line => line + CLEAR_LINE).join('\r\n') + CLEAR_BELOW)
    },
  }
}
