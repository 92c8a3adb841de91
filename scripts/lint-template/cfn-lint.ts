import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The version whose regions lib/regions.ts has. A later one may know other regions. */
export const VERSION = '1.58.0'
/** It is installed here, once for all checkouts of this user. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'footfall', `cfn-lint-${VERSION}`)
const PYTHON = join(CACHE, 'bin', 'python')
const COMMAND = join(CACHE, 'bin', 'cfn-lint')
/** Longest installation. It takes 17 s with a near mirror. */
const INSTALL_MS = 45_000
/** The output of cfn-lint has a few hundred bytes for each finding. */
const MAX_OUTPUT_BYTES = 50_000_000

/** The types of `types` that each region lacks, by the name of the region. */
const LACKING_PROGRAM = `
import json, sys
from cfnlint.helpers import REGIONS
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER as schemas
print(json.dumps({region: [type for type in sys.argv[1:] if type not in schemas.get_resource_types(region)] for region in REGIONS}))
`

/**
 * Installs cfn-lint from PyPI, unless it is there. Returns why it cannot be had, or null. pip writes the
 * command last, so an interrupted installation starts again.
 */
export async function installCfnLint(): Promise<string | null> {
  if (existsSync(COMMAND)) return null
  try {
    await rm(CACHE, { recursive: true, force: true })
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--retries', '1']
    await run('python3', ['-m', 'venv', CACHE], { timeout: INSTALL_MS })
    await run(PYTHON, [...pip, '--timeout', '10', `cfn-lint==${VERSION}`], { timeout: INSTALL_MS })
    return null
  } catch (error) {
    await rm(CACHE, { recursive: true, force: true }).catch(() => {})
    const { stderr = '' } = error as { stderr?: string }
    return stderr.trim().split('\n').at(-1) || String(error)
  }
}

/** For each region that cfn-lint knows, those of the resource types that it lacks. */
export async function typesLackingByRegion(types: readonly string[]): Promise<Record<string, string[]>> {
  const { stdout } = await run(PYTHON, ['-c', LACKING_PROGRAM, ...types])
  return JSON.parse(stdout)
}

/** The errors of a template in a region, as sentences. Warnings do not count. */
export async function lint(file: string, region: string): Promise<string[]> {
  const args = ['-t', file, '--format', 'json', '--ignore-checks', 'W', '--regions', region]
  // It exits with the severity of what it found.
  const { stdout } = await run(COMMAND, args, { maxBuffer: MAX_OUTPUT_BYTES }).catch(error => {
    if (typeof error.code === 'number' && error.stdout !== '') return error as { stdout: string }
    throw error
  })
  const findings: { Message: string; Rule: { Id: string }; Location: { Path: string[] | null } }[] =
    stdout.trim() === '' ? [] : JSON.parse(stdout)
  return findings.map(({ Message, Rule, Location }) => {
    const place = Location.Path?.join('.') ?? 'the template'
    return `${Rule.Id} at ${place}: ${Message}`
  })
}
