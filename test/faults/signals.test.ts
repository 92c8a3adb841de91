import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import type { Credentials } from '#schemas/owner'
import { noteProcess } from '#test/setup/run-processes'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

/** What a supervisor may signal, and to whom. */
afterAll(cleanUp)

const root = resolve(import.meta.dirname, '../..')

type Signal = { signal: NodeJS.Signals; to: 'npm' | 'group' }
const WAYS: readonly Signal[] = [
  { signal: 'SIGTERM', to: 'npm' },
  { signal: 'SIGTERM', to: 'group' },
  { signal: 'SIGKILL', to: 'npm' },
  { signal: 'SIGHUP', to: 'group' },
]

/** Runs `npm start` in a process group of its own, as a supervisor does, and resolves when it is ready. */
async function npmStart(dataDir: string, port: number) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: dataDir,
    PORT: String(port),
    SEED_DEMO: 'false',
  }
  const npm = spawn('npm', ['start'], { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  noteProcess(inject('runFolder'), npm.pid as number)
  let output = ''
  for (const pipe of [npm.stdout, npm.stderr]) pipe.on('data', chunk => (output += chunk))
  await eventually(() => expect(output).toMatch(/^ready /m))
  const pid = Number(/^process +(\d+)$/m.exec(output)?.[1])
  noteProcess(inject('runFolder'), pid)
  onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
  const credentials: Credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  return { npm, pid, credentials, output: () => output }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Events of the last second are taken into the lake after the start. */
async function untilStored(service: Service, ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const stored = (await allEvents(service)).map(({ event_id }) => event_id)
    expect(stored.toSorted()).toEqual(ids.toSorted())
  })
}

test('whatever is signalled to `npm start`, no process keeps the port and the folder, and no event is lost', async () => {
  const dataDir = newFolder()
  const port = await keepPort()
  const ids: string[] = []
  for (const [i, way] of WAYS.entries()) {
    // The next start would fail on the port or the folder of an orphan.
    const started = await npmStart(dataDir, port)
    ids.push(...(await sendEvents(3, { credentials: started.credentials, prefix: `way${i}` })))
    const npm = started.npm.pid as number
    const npmEnded = once(started.npm, 'exit')
    process.kill(way.to === 'npm' ? npm : -npm, way.signal)
    const [code] = await npmEnded
    // npm waits for the service, so a supervisor that starts the next one finds the folder free.
    if (way.signal === 'SIGTERM') expect(isRunning(started.pid)).toBe(false)
    if (way.signal === 'SIGTERM' && way.to === 'npm') expect(code).toBe(0)
    await eventually(() => expect(isRunning(started.pid), `${way.signal} to ${way.to}`).toBe(false))
    // npm repeats the signal of the group. On a busy machine that may be late, and then it is a second
    // signal.
    if (code !== 130) await eventually(() => expect(started.output()).toContain('"code":"STOPPED"'))
  }
  const last = await startService({ dataDir, port })
  await untilStored(last, ids)
  expect(await last.stop()).toBe(0)
})

test('a stop ends in spite of a part that hangs and a request that never arrives whole, and loses no event', async () => {
  const dataDir = newFolder()
  const preload = fileURLToPath(new URL('./endless-close.ts', import.meta.url))
  const service = await startService({ dataDir, env: { NODE_OPTIONS: `--import ${preload}` } })
  const ids = await sendEvents(2, { credentials: service.credentials, prefix: 'kept' })
  const half = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  half.on('error', () => {}).write('POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')
  onTestFinished(() => void half.destroy())
  // Where its threads do not end in time, as on a busy machine, the process kills itself (HALT_WITHIN_MS).
  expect([0, null]).toContain(await service.stop())
  expect(service.output()).toContain('"code":"STOP_CUT_OFF"')
  const next = await startService({ dataDir })
  await untilStored(next, ids)
  expect(await next.stop()).toBe(0)
})
