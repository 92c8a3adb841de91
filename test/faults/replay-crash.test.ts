import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { snapshotAt } from '#test/support/replays'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { canMountDisk, createSmallDisk, NO_SMALL_DISK } from '#test/support/small-disk'

/** What is left of a replay after kill -9 and on a full disk, on the service of one machine as a process. */

afterAll(cleanUp)

const KILLS = 3
/** Chunks that are on their way when the process is killed. */
const AT_ONCE = 4

async function call({ baseUrl, credentials }: Service, method: string, path: string, body?: object) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'X-API-Key': credentials.api_key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared, not used
  const parsed: any = await response.json()
  return { status: response.status, headers: response.headers, body: parsed }
}

/** Turns replay on for a new project, and begins a replay. */
async function beginReplay(service: Service) {
  const { body: project } = await call(service, 'POST', '/projects', { name: 'shop', allowed_origins: '*' })
  await call(service, 'PUT', '/replays/settings', { project: 'shop', enabled: true })
  const sender = { token: project.project_token, session_id: 's1' }
  const started_at = Date.now()
  const start_id = randomBytes(12).toString('hex')
  const { status, body } = await call(service, 'POST', '/replay/start', { ...sender, start_id, started_at })
  expect(status).toBe(202)
  return { id: String(body.replay_id), sender, started_at }
}

type Begun = Awaited<ReturnType<typeof beginReplay>>

/** A chunk of its own content, which gzip cannot make smaller. */
function chunkOf({ sender, started_at }: Begun, index: number, bytes = 200) {
  const noise = Buffer.from(`${index}:`.padEnd(bytes, String(Math.sin(index)))).toString('base64')
  const own = { type: 5, timestamp: started_at + index, data: { tag: `chunk ${index}`, payload: noise } }
  const events = [...snapshotAt(started_at + index), own]
  return { ...sender, index, gzip: gzipSync(JSON.stringify(events)).toString('base64') }
}

const upload = (service: Service, replay: Begun, chunk: object) =>
  call(service, 'POST', `/replay/${replay.id}/chunks`, chunk)

/** The names of the chunks that the viewer reads, by their index. */
async function playable(service: Service, { id }: Begun): Promise<Map<number, string>> {
  const { body: opened } = await call(service, 'POST', `/replays/${id}/open`, {})
  const secret = opened.viewer_url.split('#')[1]
  const { body: viewed } = await call(service, 'POST', '/replay/view', { secret })
  const found = new Map<number, string>()
  for (const { index } of viewed.replay.chunks as { index: number }[]) {
    const { status, body } = await call(service, 'POST', '/replay/view/chunk', { secret, index })
    expect(status).toBe(200)
    found.set(index, body.at(-1).data.tag)
  }
  // The secret is in no line of the log.
  expect(service.output()).not.toContain(secret.slice(4, 20))
  return found
}

test.concurrent(`every chunk that was acknowledged plays after kill -9, ${KILLS} times, and the others can be sent again`, async () => {
  const options = { dataDir: newFolder(), port: await keepPort() }
  let service = await startService(options)
  const replay = await beginReplay(service)
  const acknowledged = new Set<number>()
  let next = 0

  /** Sends chunks until the process dies. */
  async function sendUntilKilled(): Promise<void> {
    for (;;) {
      const index = next++
      const sent = await upload(service, replay, chunkOf(replay, index)).catch(() => null)
      if (sent === null) return
      expect([sent.status, sent.body]).toEqual([202, { ok: true, stored: true }])
      acknowledged.add(index)
    }
  }

  for (let kill = 0; kill < KILLS; kill++) {
    const enough = acknowledged.size + 5 + kill
    const senders = Array.from({ length: AT_ONCE }, sendUntilKilled)
    await eventually(() => expect(acknowledged.size).toBeGreaterThanOrEqual(enough))
    await service.kill9()
    await Promise.all(senders)
    service = await startService(options)
    const found = await playable(service, replay)
    for (const [index, tag] of found) expect(tag).toBe(`chunk ${index}`)
    expect([...acknowledged].filter(index => !found.has(index))).toEqual([])
    // At most the chunks that were on their way are missing.
    expect(next - found.size).toBeLessThanOrEqual(AT_ONCE * (kill + 1))
  }

  const { body: unfinished } = await call(service, 'GET', `/replays/${replay.id}`)
  expect(unfinished.status).toBe('recording')
  // The recorder sends again what was not acknowledged. Some of it may be there.
  for (let index = 0; index < next; index++) {
    const { status, body } = await upload(service, replay, chunkOf(replay, index))
    expect(status).toBe(202)
    if (acknowledged.has(index)) expect(body.stored).toBe(false)
  }
  await call(service, 'POST', `/replay/${replay.id}/finish`, { ...replay.sender, chunks: next })
  const { body: whole } = await call(service, 'GET', `/replays/${replay.id}`)
  expect([whole.status, whole.chunks.length]).toEqual(['complete', next])
  expect((await playable(service, replay)).size).toBe(next)
  expect(await service.stop()).toBe(0)
}, 300_000)

test.concurrent('on a full disk a chunk gets 503, what was stored plays, and the same chunk is taken when there is room', async ({
  skip,
}) => {
  skip(!canMountDisk(), NO_SMALL_DISK)
  const dataDir = newFolder()
  const disk = createSmallDisk(dataDir, 40)
  const service = await startService({ dataDir, disk })
  const replay = await beginReplay(service)
  expect((await upload(service, replay, chunkOf(replay, 0))).status).toBe(202)
  disk.fill(service)
  // Until the service has measured the disk, it may free a page for which a chunk is small enough.
  await eventually(() => expect(service.output()).toContain('"code":"DISK_RESERVE_REACHED"'))
  const refused = await upload(service, replay, chunkOf(replay, 1))
  expect([refused.status, refused.body.error]).toEqual([503, 'UNAVAILABLE'])
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  disk.free(service)
  await eventually(async () => expect((await upload(service, replay, chunkOf(replay, 1))).status).toBe(202))
  expect([...(await playable(service, replay)).values()]).toEqual(['chunk 0', 'chunk 1'])
  expect(await service.stop()).toBe(0)
}, 300_000)
