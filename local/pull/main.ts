import '../modules.mjs'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FolderError } from '#local/lock'
import { applyErasures, describeCopy } from './apply-erasures.ts'
import type { Totals } from './copy-tables.ts'
import { writePull } from './write-pull.ts'

/**
 * The second half of `footfall pull`: writes what the command line has read. The exit code is 0, or 1 when
 * nothing was written.
 */

type Values = Partial<Record<'rows' | 'counts' | 'into' | 'origin' | 'erasures' | 'since', string>>
type Answer = { json: object; sentence: string }

const steps: Record<string, (values: Values) => Promise<Answer>> = {
  async write({ rows = '', counts = '', into = '', origin = '' }) {
    const given = { counts: JSON.parse(readFileSync(counts, 'utf8')), origin: JSON.parse(origin) }
    const json = await writePull({ rows, into, ...given })
    const sentence = `${totals(json)} are in ${into}. On each day they are as many as the service counts.`
    return { json, sentence }
  },
  async describe({ into = '' }) {
    const json = await describeCopy(into)
    return { json, sentence: JSON.stringify(json) }
  },
  async apply({ into = '', erasures = '', since = '' }) {
    const json = await applyErasures({ into, erasures, erasuresSince: since })
    const gone = `${json.erased_people} erased people and their ${json.erased_events} events are gone`
    return { json, sentence: `${gone} from ${into}. It has ${totals(json)}.` }
  },
}

process.umask(0o077)
try {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    options: {
      ...{ rows: text, counts: text, into: text, origin: text, erasures: text, since: text },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  const step = steps[positionals[0] ?? '']
  if (step === undefined) throw new FolderError('Use footfall pull.', null)
  const { json, sentence } = await step(values)
  process.stdout.write(`${values.json === true ? JSON.stringify(json) : sentence}\n`)
} catch (error) {
  const message = error instanceof FolderError ? error.message : ((error as Error).stack ?? String(error))
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function totals({ events, sessions, people, days }: Totals): string {
  return `${events} events of ${days} days, ${sessions} sessions and ${people} people`
}
