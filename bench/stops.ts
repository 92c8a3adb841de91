import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBenchFolder, freePort, NODE_ARGS } from './bench-service.ts'
import { readCredentials } from './read-credentials.ts'

/**
 * `npm run bench -- stops`: starts the service, sends it events and reads of which some are given up, and
 * ends it: by one signal, by two, during the start, and by SIGKILL. `--rounds 1000` is how often, `--seconds`
 * how long at most, `--from` a data folder whose copy it uses. It prints how many processes ended in each
 * way. A process that the system ends (code above 128, but 130 after two signals; SIGSEGV, SIGABRT …) is a
 * fault: its last lines are printed, and the exit code is 1.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '86400' },
    from: { type: 'string' },
  },
})

const WAYS = ['one signal', 'two signals', 'during the start', 'SIGKILL'] as const
type Way = (typeof WAYS)[number]

/** Longest time of load before the end, ms. */
const LOAD_MS = 1_200
/** The service takes two signals within half a second for one. */
const SECOND_SIGNAL_MS = 550
/** A process that has not ended by then hangs. */
const HANG_MS = 300_000
const READERS = 6
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'

const dir = createBenchFolder()
if (options.from !== undefined) cpSync(options.from, dir, { recursive: true })
const port = await freePort()
const random = (below: number) => Math.floor(Math.random() * below)
const deadline = Date.now() + Number(options.seconds) * 1_000

function start(): { child: ChildProcess; output(): string; ended: Promise<string> } {
  const child = spawn(process.execPath, [...NODE_ARGS, join(import.meta.dirname, '../local/main.ts')], {
    env: { ...process.env, PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'true', EPOCH_SECONDS: '2' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const pipe of [child.stdout, child.stderr])
    pipe?.on('data', chunk => {
      text += chunk
    })
  const ended = new Promise<string>(resolve =>
    child.once('close', (code, signal) => resolve(signal ?? String(code))),
  )
  return { child, output: () => text, ended }
}

/** Sends events and reads until the service no longer answers. Some reads are given up at once. */
async function load(isRunning: () => boolean): Promise<void> {
  const credentials = join(dir, 'credentials.json')
  while (!existsSync(credentials) && isRunning()) await sleep(20)
  if (!isRunning()) return
  const { api_key, project, project_token: token } = await readCredentials(dir)
  const request = async (path: string, init: RequestInit = {}) => {
    const signal = AbortSignal.timeout(Math.random() < 0.5 ? 1 + random(150) : 10_000)
    const headers = { 'X-API-Key': api_key, 'User-Agent': USER_AGENT }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers, signal }).catch(
      () => null,
    )
    await response?.text().catch(() => '')
    if (response === null) await sleep(10)
  }
  const post = (path: string, body: object) => request(path, { method: 'POST', body: JSON.stringify(body) })
  const one = async () => {
    while (isRunning()) {
      const since = `${1 + random(30)}d`
      const steps = ['page_view', 'signup_started', 'signup'].map(event => ({ event }))
      await [
        () => request(`/stats?project=${project}&since=${since}`),
        () => post('/funnel', { project, steps, since }),
        () => post('/query', { project, metrics: ['p95(value)'], group_by: ['user_id'], date_from: since }),
        () => request(`/retention?project=${project}&period=day`),
        () => request(`/events?project=${project}&since=${since}&limit=1000`),
        () => post('/track', { token, event: 'page_view', user_id: `u${random(50)}` }),
      ][random(6)]?.()
    }
  }
  await Promise.all(Array.from({ length: READERS }, one))
}

async function round(way: Way): Promise<string> {
  const { child, output, ended } = start()
  let isOver = false
  const loaded = load(() => !isOver)
  const end = ended.then(how => {
    isOver = true
    return how
  })
  const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS)
  if (way === 'during the start') {
    while (!output().includes('process ') && !isOver) await sleep(5)
    await sleep(random(1_500))
  } else {
    while (!/^ready /m.test(output()) && !isOver) await sleep(10)
    await sleep(random(LOAD_MS))
  }
  child.kill(way === 'SIGKILL' ? 'SIGKILL' : 'SIGTERM')
  if (way === 'two signals') {
    await sleep(SECOND_SIGNAL_MS)
    child.kill('SIGTERM')
  }
  const how = await end
  clearTimeout(hang)
  await loaded
  const isFine = ['0', ...(way === 'two signals' ? ['130'] : []), ...(way === 'SIGKILL' ? ['SIGKILL'] : [])]
  if (!isFine.includes(how)) {
    faults += 1
    console.log(`${way}: ended with ${how}\n${output().trimEnd().split('\n').slice(-12).join('\n')}`)
  }
  return how
}

let faults = 0
const counts = new Map<string, number>()
let rounds = 0
for (; rounds < Number(options.rounds) && Date.now() < deadline; rounds++) {
  const way = WAYS[rounds % WAYS.length] as Way
  const name = `${way}: ${await round(way)}`
  counts.set(name, (counts.get(name) ?? 0) + 1)
  if (rounds % 20 === 19) console.log(rounds + 1, JSON.stringify(Object.fromEntries(counts)))
}
console.log(`${rounds} rounds, ${faults} faults`, JSON.stringify(Object.fromEntries(counts), null, 1))
if (faults > 0) process.exitCode = 1
rmSync(dir, { recursive: true, force: true })
