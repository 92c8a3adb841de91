import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EDITION } from '#core/lake/model/edition'
import { FolderError } from '#local/lock'

/** What the upstream of a clone has that the clone has not. */
export type UpdateCheck = {
  /** Commits, short. */
  installed: string
  newest: string
  /** How many commits the clone lacks; 0: it is up to date. */
  behind: number
  /** Whether packages are installed anew. */
  has_other_packages: boolean
  /** The edition of the newest version, when it is above that of this one: then there is no way back. */
  raises_edition_to: number | null
  /** New lines of CHANGELOG.md, at most MAX_CHANGES. */
  changes: string[]
}

const MAX_CHANGES = 30
const GIT_MS = 60_000
const GIT_BYTES = 16 * 1024 * 1024

/**
 * Asks the upstream of the clone in `root`, and changes no file of the working tree. Throws FolderError when
 * the folder is no clone with an upstream, or the upstream cannot be reached.
 */
export async function checkUpdate(root: string): Promise<UpdateCheck> {
  // git would find a clone above the folder of an installed package.
  if (!existsSync(join(root, '.git')))
    throw new FolderError(
      `${root} is no git clone, and the check needs a git clone. A package is replaced by a newer one: docs/server.md, Without a repository.`,
      null,
    )
  const upstream = '@{upstream}'
  await git(root, ['fetch', '--quiet'])
  const [installed, newest, behind, packages, edition, changelog] = await Promise.all([
    git(root, ['rev-parse', '--short', 'HEAD']),
    git(root, ['rev-parse', '--short', upstream]),
    git(root, ['rev-list', '--count', `HEAD..${upstream}`]),
    git(root, ['diff', '--name-only', `HEAD...${upstream}`, '--', 'package-lock.json']),
    git(root, ['show', `${upstream}:core/lake/model/edition.ts`]),
    git(root, ['diff', '--unified=0', `HEAD...${upstream}`, '--', 'CHANGELOG.md']),
  ])
  const [, number] = /export const EDITION = (\d+)/.exec(edition) ?? []
  return {
    installed: installed.trim(),
    newest: newest.trim(),
    behind: Number(behind),
    has_other_packages: packages.trim() !== '',
    raises_edition_to: Number(number) > EDITION ? Number(number) : null,
    changes: [...changelog.matchAll(/^\+(- .*)$/gm)].map(([, line = '']) => line).slice(0, MAX_CHANGES),
  }
}

async function git(root: string, args: readonly string[]): Promise<string> {
  try {
    const options = { cwd: root, timeout: GIT_MS, maxBuffer: GIT_BYTES, env: { ...process.env, LC_ALL: 'C' } }
    return (await promisify(execFile)('git', args, options)).stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const [reason = ''] = (stderr || message).trim().split('\n')
    throw new FolderError(
      `${root} cannot be compared with its upstream (${reason}). The check needs a git clone whose branch has an upstream that can be reached.`,
      error,
    )
  }
}
