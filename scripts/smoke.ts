import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Events of the demo project (DEMO_EVENTS in core/demo/demo-records.ts). */
const EXPECTED = '"total_events":40000'
/** Ends the wait for a service that hangs. */
const START_LIMIT_MS = 120_000

/** Runs `npm start` as a newcomer does, and makes the request that it prints. Exits with 1 on a failure. */
async function smoke(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'footfall-smoke-'))
  const env = { ...process.env, PORT: '0', DATA_DIR: data }
  const child = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
  let output = ''
  child.stdout.on('data', chunk => {
    output += chunk
  })
  try {
    const baseUrl = await untilReady(child, () => output)
    for (const path of ['/health', '/tracker.js']) {
      const response = await fetch(baseUrl + path)
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`)
    }
    const command = /^ *(curl .*)$/m.exec(output)?.[1] ?? 'false'
    const body = execFileSync('bash', ['-c', command], { encoding: 'utf8' })
    console.log(`${command}\n${body.slice(0, 200)} …`)
    if (!body.includes(EXPECTED)) throw new Error(`The response of ${command} has no ${EXPECTED}.`)
    child.kill('SIGTERM')
    const code = await ended
    if (code !== 0) throw new Error(`npm start ended with status ${code}.`)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${output}`)
    const pid = Number(/^process +(\d+)$/m.exec(output)?.[1])
    if (pid > 0) process.kill(pid, 'SIGKILL')
    process.exitCode = 1
  } finally {
    child.kill('SIGKILL')
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Resolves with the address that the service prints when it accepts requests. */
function untilReady(child: ChildProcess, output: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The service was not ready within ${START_LIMIT_MS / 1_000} s.`)),
      START_LIMIT_MS,
    )
    child.on('exit', () => reject(new Error('The service ended.')))
    child.stdout?.on('data', () => {
      const baseUrl = /^ready +(\S+)/m.exec(output())?.[1]
      if (baseUrl === undefined) return
      clearTimeout(timer)
      resolve(baseUrl)
    })
  })
}

await smoke()
