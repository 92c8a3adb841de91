import { spawn } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { World } from './world.ts'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Runs the journeys that take a deployment, with a browser or without; the others start a service of their
 * own. The tests of a file run in parallel, because most of their time is waiting for the consumer. Returns
 * the number of passed tests.
 */
export async function runJourneys({
  file: deploymentContents,
  folder,
  patience,
  abortSignal,
}: World): Promise<number> {
  const deploymentPath = join(folder, 'deployment.json')
  writeFileSync(deploymentPath, JSON.stringify(deploymentContents), { mode: 0o600 })
  const report = join(folder, 'journeys.json')
  const minutes = (count: number) => String(count * 60_000)
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...deployedJourneys(),
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
function deployedJourneys(): string[] {
  const files = globSync('test/{journeys,browser/journeys}/*.test.ts', { cwd: ROOT }).filter(file =>
    /\b(open|shared)Deployment\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  if (files.length === 0) throw new Error('No journey asks test/support/deployment.ts for a service.')
  return files
}
