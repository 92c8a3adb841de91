import '../modules.mjs'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { FolderError } from '#local/lock'
import { countProblems, findingsText } from '#schemas/findings'

/**
 * What `footfall doctor` runs: a process of its own, on the Node of the service. The exit code is 0 when
 * nothing is wrong, and 1 when there is a problem, or the machine cannot be looked at.
 */

const USE = 'Use: doctor [--data FOLDER] [--env-file FILE] [--json]'

try {
  const { values } = parseLine()
  const file = values['env-file']
  const environment = file === undefined ? process.env : { ...process.env, ...parseEnv(readText(file)) }
  const dataDir = resolve(values.data ?? (environment.DATA_DIR || '.footfall'))
  const [{ gatherFacts }, { findings }] = await Promise.all([import('./facts.ts'), import('./findings.ts')])
  const found = findings(await gatherFacts(dataDir, environment))
  const problems = countProblems(found)
  const text =
    values.json === true ? JSON.stringify({ data: dataDir, problems, findings: found }) : findingsText(found)
  process.stdout.write(`${text}\n`)
  process.exitCode = problems === 0 ? 0 : 1
} catch (error) {
  const message = error instanceof FolderError ? error.message : ((error as Error).stack ?? String(error))
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

function parseLine() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({ options: { data: text, 'env-file': text, json: { type: 'boolean' } } })
  } catch (error) {
    throw new FolderError(`${(error as Error).message}\n${USE}`, error)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new FolderError(`${file} cannot be read (${(error as Error).message}).`, error)
  }
}
