import { spawn } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { World } from './world.ts'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Each kind runs in a command of its own, because vitest refuses two with different numbers of workers in
 * one.
 */
const KINDS = { node: 'test/journeys/*.test.ts', browser: 'test/browser/journeys/*.test.ts' } as const

/** What the journeys need of a deployed service. */
type JourneyWorld = Pick<World, 'folder' | 'file' | 'patience' | 'abortSignal'>

/**
 * Runs the journeys that take a deployment, with a browser and without at the same time; the others start a
 * service of their own. The tests of a file run in parallel, because most of their time is waiting for the
 * consumer. Returns the number of passed tests.
 */
export async function runJourneys(world: JourneyWorld): Promise<number> {
  const deploymentPath = join(world.folder, 'deployment.json')
  writeFileSync(deploymentPath, JSON.stringify(world.file), { mode: 0o600 })
  const kinds = Object.entries(KINDS).map(([project, pattern]) =>
    runKind(world, project, pattern, deploymentPath),
  )
  const results = await Promise.allSettled(kinds)
  return results.reduce((sum, result) => {
    if (result.status === 'rejected') throw result.reason
    return sum + result.value
  }, 0)
}

/** Returns the number of passed tests. */
async function runKind(
  { folder, patience, abortSignal }: JourneyWorld,
  project: string,
  pattern: string,
  deploymentPath: string,
): Promise<number> {
  const report = join(folder, `journeys-${project}.json`)
  const minutes = (count: number) => String(count * 60_000)
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...['--project', project],
      ...deployedJourneys(pattern),
      '--sequence.concurrent',
      ...['--maxConcurrency', '20'],
      ...['--testTimeout', minutes(15 * patience), '--hookTimeout', minutes(5 * patience)],
      ...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
    ],
    {
      cwd: ROOT,
      signal: abortSignal,
      killSignal: 'SIGINT',
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, FOOTFALL_DEPLOYMENT: deploymentPath },
    },
  )
  const code = await new Promise<number | null>((resolveCode, rejectCode) => {
    child.on('error', rejectCode)
    child.on('close', resolveCode)
  })
  if (code !== 0) throw new Error(`vitest ended with exit code ${code}. See its report above.`)
  return (JSON.parse(readFileSync(report, 'utf8')) as { numPassedTests: number }).numPassedTests
}

/** The options of vitest cannot exclude a file that its configuration includes, so the files are named. */
function deployedJourneys(pattern: string): string[] {
  const files = globSync(pattern, { cwd: ROOT }).filter(file =>
    /\b(open|shared)Deployment\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  if (files.length === 0) throw new Error('No journey asks test/support/deployment.ts for a service.')
  return files
}
