import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { World } from './world.ts'

const ROOT = resolve(import.meta.dirname, '..')

/**
 * Runs test/journeys/ against the deployment, but for the folder of those that start, kill and damage a service of
 * their own. All tests of a file at once: most of their time is the stream's window. Returns how many there were.
 */
export async function runJourneys({ file: deployment, folder, ending }: World): Promise<number> {
  const file = join(folder, 'deployment.json')
  writeFileSync(file, JSON.stringify(deployment), { mode: 0o600 })
  const report = join(folder, 'journeys.json')
  const minutes = (count: number) => String(count * 60_000)
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      'test/journeys/',
      ...['--exclude', 'test/journeys/one-machine/**'],
      '--sequence.concurrent',
      ...['--maxConcurrency', '20'],
      ...['--testTimeout', minutes(15), '--hookTimeout', minutes(5)],
      ...['--reporter', 'default', '--reporter', 'json', '--outputFile.json', report],
    ],
    {
      cwd: ROOT,
      signal: ending,
      killSignal: 'SIGINT',
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, FOOTFALL_DEPLOYMENT: file },
    },
  )
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail)
    child.on('close', done)
  })
  if (code !== 0) throw new Error(`vitest ended with ${code}; see its report above`)
  return (JSON.parse(readFileSync(report, 'utf8')) as { numPassedTests: number }).numPassedTests
}
