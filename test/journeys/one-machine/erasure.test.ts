import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unpackText } from '#core/ingest/packing'
import { openEventStream } from '#test/support/event-stream-client'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/** What is left of a person in the data folder after an erasure. */

let service: Service
beforeAll(async () => {
  service = await startService({
    env: {
      EPOCH_SECONDS: '2',
      QUERY_TIMEOUT_MS: '2000',
    },
  })
})
afterAll(cleanUp)

type Json = Record<string, unknown>

/** A text that compression leaves as it is. */
const random = () => randomBytes(18).toString('base64url').replace(/[-_]/g, 'x')

/** Of the person who is erased. */
const person = {
  anonymous: `anon_${random()}`,
  id: `user_${random()}`,
  trait: random(),
  page: `/${random()}`,
}
/** What no file may ever have. */
const secret = { email: `Ada.${random()}@example.com`, other: `${random()}@example.com`, bot: random() }
const ADDRESS = '203.0.113.77'
/** The user who stays. */
const bystander = `user_${random()}`

async function call(method: string, path: string, body?: Json, userAgent = HUMAN_USER_AGENT) {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: {
      // With a key of the account, a bot may send events.
      ...(path !== '/track' && { 'X-API-Key': service.credentials.api_key }),
      'User-Agent': userAgent,
      'X-Forwarded-For': ADDRESS,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = (await response.json()) as Json
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  return json
}

const PROJECT = 'demo'
const track = (user_id: string, properties: Json = {}, userAgent?: string) => {
  const token = service.credentials.project_token
  return call('POST', '/track', { token, event: 'page_view', user_id, properties }, userAgent)
}

function allFiles(): string[] {
  return readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** The files that have one of the texts in their bytes, and the Parquet files that have one in a row. */
async function filesWith(texts: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of allFiles()) {
    let content: Buffer
    try {
      content = readFileSync(path)
    } catch {
      // The service has deleted it meanwhile.
      continue
    }
    // Files elsewhere are being written.
    const isInLake = path.includes('/lake/') && extname(path) === '.parquet'
    const rows = isInLake ? JSON.stringify(await readRows(content)) : ''
    const all = (content.toString('latin1') + rows).toLowerCase()
    if (texts.some(text => all.includes(text.toLowerCase()))) found.push(path)
  }
  return found
}

function readRows(content: Buffer): Promise<unknown[]> {
  const rows = parquetReadObjects({ file: new Uint8Array(content).buffer, compressors })
  return rows.then(each => each.map(row => Object.values(row).map(String)))
}

/** The records of the log and the items of the state, unpacked. The service must have ended. */
async function readStores(): Promise<string> {
  const log = new DatabaseSync(join(service.dataDir, 'log.db'), { readOnly: true })
  const records = log.prepare('SELECT data FROM records').all()
  log.close()
  const texts = records.map(({ data }) => unpackText(data as Uint8Array))
  const state = new DatabaseSync(join(service.dataDir, 'state.db'), { readOnly: true })
  for (const { item } of state.prepare('SELECT item FROM items').all()) {
    texts.push(String(item))
    // The packed events of live chunks.
    for (const [, packed] of String(item).matchAll(/"events":\{"B":"([^"]+)"/g)) {
      texts.push(unpackText(Buffer.from(packed as string, 'base64')))
    }
  }
  state.close()
  return texts.join('\n').toLowerCase()
}

const usersIn = (body: Json, field: string) =>
  (body[field] as { user_id: string }[]).map(({ user_id }) => user_id)
const liveUsers = async () =>
  usersIn(await call('GET', `/live?project=${PROJECT}&window=300`), 'recent_events')

test('after an erasure nothing in the data folder has the ids of the person, and no e-mail address or address of a sender was ever there', async () => {
  const streamHeaders = { 'X-API-Key': service.credentials.api_key }
  const openStream = (more: Record<string, string> = {}) =>
    openEventStream({ port: Number(new URL(service.baseUrl).port) }, `/stream?project=${PROJECT}`, {
      ...streamHeaders,
      ...more,
    })
  const stream = openStream()
  await stream.waitFor(1)
  await track(bystander)
  await track(person.anonymous, { path: person.page, email: secret.other, note: { userEmail: secret.other } })
  const token = service.credentials.project_token
  await call('POST', '/identify', {
    ...{ token, previous_id: person.anonymous, user_id: person.id },
    traits: { email: secret.email, plan: person.trait, contact_email: secret.other },
  })
  await track(person.id)
  for (const agent of [`curl/8 ${secret.other}`, `Mozilla/5.0 (compatible; Googlebot/2.1; +${secret.bot})`]) {
    await track(person.id, {}, agent)
  }
  await stream.waitFor(4)
  const firstId = stream.blocks()[1]?.id ?? ''
  await eventually(async () => expect(await liveUsers()).toEqual([person.id, person.id, bystander]))
  const byEmail = { project: PROJECT, email: secret.email }
  await eventually(async () => {
    expect(usersIn(await call('POST', '/journey/lookup', byEmail), 'events')).toEqual([person.id, person.id])
  })
  await eventually(async () => {
    expect(await call('GET', `/bot-traffic?project=${PROJECT}`)).toMatchObject({
      actors: [{ actor: 'Googlebot' }, { actor: 'curl' }],
    })
  })
  const never = [...Object.values(secret), ADDRESS]
  expect(await filesWith(never)).toEqual([])
  // The search finds what is there: in the log, in the lake and in the state.
  const places = (await filesWith([person.anonymous])).map(path => path.slice(service.dataDir.length + 1))
  for (const place of ['log.db', 'lake/', 'state.db']) {
    expect(
      places.some(path => path.startsWith(place)),
      place,
    ).toBe(true)
  }

  const { erasure_id } = await call('DELETE', `/users/${person.anonymous}?project=${PROJECT}`)
  // The list of erasures is read once a second.
  await eventually(async () => expect(await liveUsers()).not.toContain(person.id))
  const resumed = openStream({ 'Last-Event-ID': firstId })
  await resumed.waitFor(1)
  await track(bystander)
  await resumed.waitFor(2)
  expect(resumed.tracked().map(({ user_id }) => user_id)).toEqual([bystander])
  for (const each of [stream, resumed]) each.close()

  let report: Json = {}
  await eventually(
    async () => {
      report = await call('GET', `/erasures/${erasure_id}`)
      expect(report.status).toBe('done')
    },
    { timeoutMs: 240_000, everyMs: 500 },
  )
  expect(report.removed).toMatchObject({ events: 2, links: 1, profiles: 1 })
  const gone = [...never, ...Object.values(person)]
  // Replaced links files stay for running reads.
  await eventually(async () => expect(await filesWith(gone)).toEqual([]), { timeoutMs: 60_000 })
  expect(usersIn(await call('GET', `/events?project=${PROJECT}`), 'events')).toEqual([bystander, bystander])
  expect(await filesWith([bystander])).not.toEqual([])
  await service.stop()
  expect(await filesWith(gone)).toEqual([])
  const stored = await readStores()
  // Log and live buffer keep both events of the user who stays.
  expect(stored.split(bystander.toLowerCase()).length - 1).toBeGreaterThanOrEqual(4)
  expect(gone.filter(text => stored.includes(text.toLowerCase()))).toEqual([])
  expect(gone.filter(text => service.output().toLowerCase().includes(text.toLowerCase()))).toEqual([])
}, 300_000)
