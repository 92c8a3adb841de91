import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { CommandError, usage } from '#cli/errors'
import type { Io } from '#cli/io'
import type { Change } from './changes.ts'

/**
 * Writes the changes. All new texts are on the disk beside their files before the first one takes its place,
 * so a full disk changes nothing. Throws CommandError when a file has changed since it was read, or when its
 * folder lies outside of the site.
 */
export function writeChanges({ pid }: Pick<Io, 'pid'>, folder: string, changes: readonly Change[]): void {
  const prepared: { temporary: string; target: string }[] = []
  try {
    for (const { path, before, after } of changes) {
      const target = join(folder, path)
      requireInside(folder, dirname(target), path)
      mkdirSync(dirname(target), { recursive: true })
      requireUnchanged(target, path, before)
      const temporary = join(dirname(target), `.footfall-${pid}-${prepared.length}.tmp`)
      prepared.push({ temporary, target })
      const mode = before === null ? 0o666 : lstatSync(target).mode & 0o777
      writeFileSync(temporary, after, { flag: 'wx', mode, flush: true })
    }
    for (const { temporary, target } of prepared) renameSync(temporary, target)
  } finally {
    for (const { temporary } of prepared) rmSync(temporary, { force: true })
  }
}

/** The nearest folder that is there decides, because the others are made below it. */
function requireInside(folder: string, parent: string, path: string): void {
  let existing = parent
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing)
  const real = realpathSync(existing)
  if (real === folder || real.startsWith(`${folder}${sep}`)) return
  throw usage(
    `${path} lies outside of the folder, so nothing was written.`,
    'Run it in the folder that has the file.',
  )
}

function requireUnchanged(target: string, path: string, before: string | null): void {
  const stat = lstatSync(target, { throwIfNoEntry: false })
  const now = stat?.isFile() ? readFileSync(target, 'utf8') : null
  if (now === before && (stat === undefined || stat.isFile())) return
  throw new CommandError({
    error: 'SITE_CHANGED',
    message: `${path} was changed meanwhile, so nothing was written.`,
    suggested_action: 'Run the same command again.',
    retryable: true,
  })
}
