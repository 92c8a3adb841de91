import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildCommandLine } from '#cli/build'

/**
 * `npm run bench -- cli`: how long the command line needs to say its version and its help, beside a Node that
 * does nothing.
 */

const RUNS = 15
const run = promisify(execFile)

/** The fastest run is the one that other programs have delayed least. */
async function timesOf(args: readonly string[]): Promise<{ median: number; fastest: number }> {
  const times: number[] = []
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now()
    await run(process.execPath, [...args])
    times.push(performance.now() - start)
  }
  const sorted = times.toSorted((a, b) => a - b)
  return { median: sorted[Math.floor(RUNS / 2)] as number, fastest: sorted[0] as number }
}

const folder = await mkdtemp(join(tmpdir(), 'footfall-cli-'))
try {
  const file = await buildCommandLine(folder)
  process.stdout.write(
    `one file: ${Math.round((await stat(file)).size / 1024)} KB; median and fastest of ${RUNS} runs\n`,
  )
  for (const args of [
    ['--eval', '0'],
    [file, '--version'],
    [file, '--help'],
    [file, 'help', '--json'],
  ]) {
    const label = args[0] === '--eval' ? 'node alone' : `footfall ${args.slice(1).join(' ')}`
    const { median, fastest } = await timesOf(args)
    const [middle, least] = [median, fastest].map(ms => ms.toFixed(0).padStart(5))
    process.stdout.write(`${label.padEnd(24)} ${middle} ms ${least} ms\n`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
