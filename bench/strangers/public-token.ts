import { randomBytes } from 'node:crypto'
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, scaled } from './attack.ts'
import { exchange } from './exchange.ts'
import { sendRequests } from './send-requests.ts'

const BROWSER = {
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
}

export const replayStarts: Attack = {
  name: '5a replay starts',
  does: '600 starts of replays in 7 s by the public token',
  seconds: 15,
  isCounted: true,
  run: ({ port, token, from, ...door }, stopping) =>
    sendRequests(
      {
        request: i => ({
          ...{ port, method: 'POST', path: '/replay/start', headers: BROWSER, from: from[0] },
          body: {
            ...{ token, session_id: `stranger-${i}`, started_at: Date.now() },
            start_id: randomBytes(12).toString('hex'),
          },
        }),
        ...{ total: scaled(600, door), pace: { perSecond: 600 / 7 } },
      },
      stopping,
    ),
  async witness({ port, key }) {
    const { text } = await exchange({
      ...{ port, method: 'GET', path: '/replays/usage', headers: { 'X-API-Key': key } },
    })
    return `reserved for replays: ${megabytes(Number(/"reserved_bytes":(\d+)/.exec(text)?.[1]))}`
  },
}

/** Traits just below the 8,192 bytes that one request may have. They are random, so nothing packs them. */
const TRAIT_BYTES = 8_100

export const identifyTraits: Attack = {
  name: '5b traits',
  does: '20,000 /identify of new ids with 8 KB of traits each by the public token, 32 at a time',
  seconds: 30,
  isCounted: true,
  run: ({ port, token, from, ...door }, stopping) =>
    sendRequests(
      {
        request: i => ({
          ...{ port, method: 'POST', path: '/identify', headers: BROWSER, from: from[0] },
          body: {
            ...{ token, previous_id: `anon_stranger${i}`, user_id: `stranger-${i}` },
            traits: { note: randomBytes(TRAIT_BYTES / 2).toString('hex') },
          },
        }),
        ...{ total: scaled(20_000, door), pace: { atOnce: 32 } },
      },
      stopping,
    ),
  witness: async ({ dataDir }) => `state.db: ${megabytes(await settledStateBytes(dataDir))}`,
}

/**
 * The traits reach the state some time after their 202. A file that did not grow for so long has them all, s.
 */
const SETTLED_S = 3
const MAX_SETTLING_S = 60

async function settledStateBytes(dataDir: string): Promise<number> {
  const bytes = () => globSync(join(dataDir, 'state.db*')).reduce((sum, path) => sum + statSync(path).size, 0)
  let last = bytes()
  for (let still = 0, waited = 0; still < SETTLED_S && waited < MAX_SETTLING_S; waited++) {
    await sleep(1_000)
    const now = bytes()
    still = now === last ? still + 1 : 0
    last = now
  }
  return last
}

const GOOGLEBOT = { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
/** Above what the neighbours send to their own projects. */
const TOKEN_LIMIT = 2_000

export const botEvents: Attack = {
  name: '6 events of bots',
  does: `Googlebot sends 500 events a second to a project of ${TOKEN_LIMIT.toLocaleString('en')} requests a minute`,
  seconds: 20,
  service: { limits: `token_requests_per_minute=${TOKEN_LIMIT}` },
  run: ({ port, token, from, ...door }, stopping) =>
    sendRequests(
      {
        request: () => ({
          ...{ port, method: 'POST', path: '/track', headers: GOOGLEBOT, from: from[0] },
          body: { token, event: 'page_view' },
        }),
        pace: { perSecond: scaled(500, door) },
      },
      stopping,
    ),
  witness: async ({ dataDir }) => `records of the log: ${logRecords(dataDir)}`,
}

/** The records that the log has had: sequences only grow. Those of the neighbours are among them. */
function logRecords(dataDir: string): string {
  const logs = globSync(join(dataDir, '{.,*}/log.db')).concat(globSync(join(dataDir, 'log.db')))
  const highest = [...new Set(logs)].map(path => {
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      return Number(database.prepare('SELECT max(sequence) AS highest FROM records').get()?.highest ?? 0)
    } finally {
      database.close()
    }
  })
  return highest.reduce((sum, each) => sum + each, 0).toLocaleString('en')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
