import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type OddEvent, oddEvents, shownEvents } from '#test/support/odd-events'
import { createBenchFolder, freePort, startScript, stop, waitUntilResponding } from './bench-service.ts'
import { rawReads } from './raw-read-routes.ts'
import { readCredentials } from './read-credentials.ts'

/**
 * `npm run bench -- raw-reads`: reads single events by every route that has them, while an epoch closes every
 * two seconds, is compacted, merged and rewritten by erasures, and compares each answer byte for byte with
 * the first one. It exits with 1 after a difference, which it prints. The events have property names that are
 * easily lost: empty, a blank, a full stop, emoji, 800 in one event.
 *
 * - `--seconds 60`: how long it reads
 * - `--readers 6`: reads at the same time
 * - `--pause 1000`: ms between two users who send
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    readers: { type: 'string', default: '6' },
    pause: { type: 'string', default: '1000' },
  },
})

/** Erased one after the other, so that segments and hot files are written anew. */
const ERASE_EVERY_MS = 4_000
/** So often a read may show less than was sent, half a second apart. */
const MAX_TRIES = 120

const dir = createBenchFolder()
const port = await freePort()
const child = startScript('local/main.ts', [], {
  ...{ PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false', EPOCH_SECONDS: '2' },
})
await waitUntilResponding(port, child)
const { api_key: key, project_token: token, project } = await readCredentials(dir)
const base = `http://127.0.0.1:${port}`
const end = Date.now() + Number(options.seconds) * 1_000

type Watched = { reads: { method: string; path: string; body?: object; first: string | null }[] }
/** Users whose events are all visible. */
const watched: Watched[] = []
const counts = { reads: 0, users: 0, events: 0, erased: 0, refused: 0 }
const differences: string[] = []

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(base + path, {
    method,
    headers: { 'X-API-Key': key },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

/** What an answer says of events: not its period, which moves with the time. */
function eventsOf(text: string): string {
  const { events } = JSON.parse(text) as { events: unknown[] }
  return JSON.stringify(events)
}

async function track({ isPublic = false, ...event }: OddEvent): Promise<void> {
  const response = await fetch(`${base}/track/batch`, {
    method: 'POST',
    headers: {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      ...(!isPublic && { 'X-API-Key': key }),
    },
    body: JSON.stringify({ token, events: [event] }),
  })
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`)
}

async function addUsers(): Promise<void> {
  while (Date.now() < end) {
    const user = `user-${counts.users++}`
    const events = oddEvents(user)
    for (const each of events) await track(each)
    counts.events += events.length
    // A user who is erased soon leaves a hole in the same files.
    for (const each of oddEvents(`gone-${counts.users}`).slice(0, 2)) await track(each)
    void watch(user)
    await sleep(Number(options.pause))
  }
}

/** Waits until reads show what was sent, and hands the user to the readers. */
async function watch(user: string): Promise<void> {
  const shown = shownEvents(user)
  const wanted = JSON.stringify(
    [...shown].map(([event, properties]) => [event, sorted(properties)]).toSorted(),
  )
  let last = ''
  for (let tries = 0; Date.now() < end && tries < MAX_TRIES; tries++) {
    const { status, text } = await send('POST', '/journey/lookup', { project, user_id: user, limit: 1_000 })
    const events: OddEvent[] = status === 200 ? JSON.parse(text).events : []
    last = JSON.stringify(events.map(({ event, properties }) => [event, sorted(properties)]).toSorted())
    if (last === wanted) {
      watched.push({ reads: rawReads(project, user).map(each => ({ ...each, first: null })) })
      return
    }
    await sleep(500)
  }
  if (Date.now() < end) differences.push(`${user}: wanted ${wanted}\n  read ${last}`)
}

function sorted(properties: object | null): unknown {
  return properties === null ? null : Object.entries(properties).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

async function eraseUsers(): Promise<void> {
  for (let next = 1; Date.now() < end; next++) {
    await sleep(ERASE_EVERY_MS)
    if (next > counts.users) continue
    const { status } = await send('DELETE', `/users/gone-${next}?project=${project}`)
    if (status < 300) counts.erased += 1
  }
}

async function read(): Promise<void> {
  while (Date.now() < end) {
    // Half of the reads are of the newest users, whose events move from hot files to segments now.
    const from = Math.random() < 0.5 ? Math.max(0, watched.length - 12) : 0
    const each = watched[from + Math.floor(Math.random() * (watched.length - from))]
    const chosen = each?.reads[Math.floor(Math.random() * each.reads.length)]
    if (chosen === undefined) {
      await sleep(50)
      continue
    }
    const { method, path, body } = chosen
    const { status, text } = await send(method, path, body)
    if (status !== 200) {
      counts.refused += 1
      if (status !== 503 && status !== 429)
        differences.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
      continue
    }
    counts.reads += 1
    const events = eventsOf(text)
    chosen.first ??= events
    if (events !== chosen.first)
      differences.push(
        `${method} ${path} ${JSON.stringify(body)}\n  first ${chosen.first}\n  now   ${events}`,
      )
  }
}

function segments(): string[] {
  const folder = join(dir, 'lake')
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
        name.includes('segments/events'),
      )
    : []
}

const report = setInterval(() => {
  console.log(
    JSON.stringify({
      ...counts,
      watched: watched.length,
      segments: segments().length,
      differences: differences.length,
    }),
  )
}, 10_000)
await Promise.all([addUsers(), eraseUsers(), ...Array.from({ length: Number(options.readers) }, read)])
clearInterval(report)
console.log(
  `${counts.reads} reads of ${counts.events} events of ${counts.users} users, ${counts.erased} erasures; ${counts.refused} refused; ${differences.length} differences`,
)
for (const each of differences.slice(0, 5)) console.log(each.slice(0, 20_000))
if (differences.length > 0) process.exitCode = 1
await stop({ process: child } as Parameters<typeof stop>[0])
rmSync(dir, { recursive: true, force: true })
