import '../modules.mjs'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FolderError } from '#local/lock'
import { writePull } from './write-pull.ts'

/**
 * The second half of `footfall pull`: writes the events that the command line has read. The exit code is 0,
 * or 1 when nothing was written.
 */

process.umask(0o077)
try {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { rows: text, counts: text, into: text, json: { type: 'boolean' } },
  })
  const { rows = '', counts = '', into = '', json } = values
  const pulled = await writePull({ rows, counts: JSON.parse(readFileSync(counts, 'utf8')), into })
  const { events, sessions, people, days } = pulled
  const told = `${events} events of ${days} days, ${sessions} sessions and ${people} people are in ${into}. On each day they are as many as the service counts.`
  process.stdout.write(`${json === true ? JSON.stringify(pulled) : told}\n`)
} catch (error) {
  const message = error instanceof FolderError ? error.message : ((error as Error).stack ?? String(error))
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
