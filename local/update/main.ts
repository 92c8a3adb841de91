import '../modules.mjs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FolderError } from '#local/lock'
import { checkUpdate, type UpdateCheck } from './check-update.ts'

/**
 * What `footfall admin updates` runs. The exit code is 0 when the clone is up to date, 3 when there is a
 * newer version, and 1 when that cannot be known.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const NEWER = 3

try {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
  const checked = await checkUpdate(ROOT)
  process.stdout.write(`${values.json === true ? JSON.stringify(checked) : textOf(checked)}\n`)
  process.exitCode = checked.behind === 0 ? 0 : NEWER
} catch (error) {
  const message = error instanceof FolderError ? error.message : ((error as Error).stack ?? String(error))
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function textOf({
  installed,
  newest,
  behind,
  has_other_packages,
  raises_edition_to,
  changes,
}: UpdateCheck): string {
  if (behind === 0) return `${installed} is the newest version.`
  return [
    `${newest} is newer than ${installed}, by ${behind} commits.`,
    has_other_packages ? 'Its packages differ: npm ci is needed.' : 'Its packages are the same.',
    raises_edition_to === null
      ? 'It reads and writes the same data, so the way back is open.'
      : `It converts the data to edition ${raises_edition_to}: there is no way back but a backup.`,
    'Make a copy first, and stop the service before its files change: docs/server.md, Update.',
    ...changes,
  ].join('\n')
}
