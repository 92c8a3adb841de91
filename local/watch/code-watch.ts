import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'

const ROOT = resolve(import.meta.dirname, '../..')
/** What `npm ci`, `git pull` and an unpacked archive write anew. The log of git grows with each change. */
const FILES = ['node_modules/.package-lock.json', '.git/logs/HEAD', 'package-lock.json', 'package.json']
const PAUSE_MS = 60_000

/**
 * Notices that the files of the service were replaced while it runs, as by `git pull` and `npm ci`: it still
 * runs the old code, and loads parts of the new one when it first needs them. Logs CODE_CHANGED once, within
 * a minute.
 */
export function watchCode(log: Log, { root = ROOT, pauseMs = PAUSE_MS } = {}): { stop(): void } {
  const before = stampOf(root)
  function look(): void {
    if (stampOf(root) === before) return
    clearInterval(timer)
    log('CODE_CHANGED', { folder: root })
  }
  const timer = setInterval(caught(log, 'watch of the code', look), pauseMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

function stampOf(root: string): string {
  const stamps = FILES.map(file => {
    const found = statSync(join(root, file), { throwIfNoEntry: false })
    return found && [found.ino, found.size, found.mtimeMs]
  })
  return JSON.stringify(stamps)
}
