import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort, NODE_ARGS, processorMs, waitUntilResponding } from '#bench/bench-service'
import { type Attack, EVENTS } from './attack.ts'
import { exchange } from './exchange.ts'

/** A service with the attacked project, and two projects of neighbours. */
export type AttackedService = {
  port: number
  pid: number
  process: ChildProcess
  dataDir: string
  /** The owner's. */
  key: string
  /** The attacked project, with a month of events. */
  project: string
  token: string
  links: string[]
  tokens: { visited: string; marked: string }
  /** The last lines that it has written, to say why it ended. */
  lastLines(): string
}

const ROOT = join(import.meta.dirname, '../..')
const SITE_NETWORK = pathToFileURL(join(import.meta.dirname, 'site-network.mjs')).href

/** Starts the service of one machine in an empty folder, as an attack needs it. */
export async function startAttacked(
  { service = {} }: Pick<Attack, 'service'>,
  { dataDir, sitePort }: { dataDir: string; sitePort: number },
): Promise<AttackedService> {
  const port = await freePort()
  const log = join(dataDir, 'service.log')
  const command = [process.execPath, ...NODE_ARGS, join(ROOT, 'local/main.ts')]
  const limit = service.openFiles === undefined ? '' : `ulimit -n ${service.openFiles}; `
  // The shell replaces itself, so the process is the service.
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...command], {
    env: {
      ...process.env,
      ...{ PORT: String(port), DATA_DIR: dataDir, SEED_DEMO: 'false' },
      ...{ NODE_OPTIONS: `--import=${SITE_NETWORK}`, BENCH_SITE_PORT: String(sitePort) },
      ...(service.limits !== undefined && { LIMITS: service.limits }),
    },
    stdio: ['ignore', openSync(log, 'a'), openSync(log, 'a')],
  })
  const lastLines = () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-3).join('\n')
  await waitUntilResponding(port, child)
  const { project, project_token, api_key: key } = await readCredentials(dataDir)
  const call = createCaller(port, key)

  const tokens = { visited: '', marked: '' }
  for (const name of ['visited', 'marked'] as const) {
    tokens[name] = (await call('POST', '/projects', { name })).project_token
  }
  await call('PUT', '/replays/settings', { project, enabled: true })
  const { projects } = await call('GET', '/projects')
  const { id } = projects.find((each: { name: string }) => each.name === project)
  const links: string[] = []
  for (let i = 0; i < 2; i++) {
    const { url } = await call('POST', `/projects/${id}/share-links`, {})
    links.push(String(url).split('/').at(-1) as string)
  }
  await addEvents(call, project_token, service.events ?? EVENTS)
  // The first reads of a service are slower than all others.
  for (let i = 0; i < 3; i++) await call('GET', `/stats?project=${project}&since=30d`)
  const pid = child.pid as number
  await waitUntilIdle(pid)
  return { port, pid, process: child, dataDir, key, project, token: project_token, links, tokens, lastLines }
}

async function readCredentials(
  dataDir: string,
): Promise<{ project: string; project_token: string; api_key: string }> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
    } catch {
      await sleep(50)
    }
  }
}

/** Calls the API as the owner. Rejects when the answer is an error. */
function createCaller(port: number, key: string) {
  return async (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => {
    const headers = { 'X-API-Key': key, 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0' }
    const { outcome, text } = await exchange({ port, method, path, headers, ...(body && { body }) })
    if (!/^2/.test(outcome)) throw new Error(`${method} ${path}: ${outcome} ${text}`)
    return JSON.parse(text)
  }
}

/** The service is idle when it uses less than this part of a core for a second. */
const IDLE_PART = 0.1
/** A machine with other work may never show an idle service, s. */
const MAX_IDLE_WAIT_S = 30

/** Waits until the events are compacted, so that the calm phase is calm. */
async function waitUntilIdle(pid: number): Promise<void> {
  for (let i = 0; i < MAX_IDLE_WAIT_S; i++) {
    const before = processorMs(pid)
    await sleep(1_000)
    if (processorMs(pid) - before < IDLE_PART * 1_000) return
  }
}

const BATCH = 100
const DAY_MS = 86_400_000
const COUNTRIES = ['DE', 'FR', 'US', 'IN', 'BR']

/** Sends events of 5,000 users over the last 29 days, and waits until reports count them. */
async function addEvents(
  call: ReturnType<typeof createCaller>,
  token: string,
  events: number,
): Promise<void> {
  const total = async () => (await call('GET', '/stats?project=demo&since=30d')).totals.total_events as number
  const before = await total()
  let next = 0
  const sendBatches = async () => {
    while (next < events) {
      const first = next
      next += BATCH
      await call('POST', '/track/batch', {
        events: Array.from({ length: Math.min(BATCH, events - first) }, (_, i) => eventOf(first + i, token)),
      })
    }
  }
  await Promise.all(Array.from({ length: 8 }, sendBatches))
  while ((await total()) < before + events) await sleep(500)
}

function eventOf(i: number, token: string) {
  const user = (i * 7919) % 5_000
  const day = i % 29
  return {
    ...{ token, event: i % 5 === 0 ? 'click' : 'page_view', user_id: `user-${user}` },
    ...{ session_id: `${user}-${day}`, timestamp: Date.now() - day * DAY_MS - ((i * 104_729) % 3_600_000) },
    properties: {
      ...{ path: `/page-${i % 2_003}`, browser: `browser-${i % 7}`, os: `os-${i % 5}`, value: i % 1_000 },
      ...{ device: i % 3 === 0 ? 'mobile' : 'desktop', session_count: i % 9, region: COUNTRIES[i % 5] },
    },
  }
}
