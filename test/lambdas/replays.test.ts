import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { toRecord } from '#core/replays/replay'
import { MAX_CHUNK_JSON_BYTES, REPLAY_LIMITS } from '#schemas/replays'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import {
  newFinishedReplay,
  newRecording,
  newReplay,
  newViewer,
  openSecret,
  snapshotAt,
} from '#test/support/replays'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

const NO_KEY = { key: null }

/** Events that compress badly, with about this many bytes as JSON. */
function noise(at: number, bytes: number) {
  const text = Array.from({ length: bytes / 10 }, (_, i) => ((i * 2_654_435_761) >>> 0).toString(36)).join(
    ' ',
  )
  return [{ type: 3, timestamp: at, data: { text } }]
}

async function upload(id: string, body: Record<string, unknown>) {
  return service.call(routes.uploadChunk, { ...NO_KEY, id, body })
}

async function listed(query: Record<string, string>) {
  const { body } = await service.call(routes.listReplays, { query })
  return body as { replays: ReturnType<typeof toRecord>[]; next_before: string | null }
}

describe('settings', () => {
  test('replay is off for a new project, and a change keeps what it does not name', async () => {
    const project = await service.createProject()
    const query = { project: project.name }
    const { body: before } = await service.call(routes.readReplaySettings, { query })
    expect(before).toEqual({
      project: project.name,
      settings: {
        enabled: false,
        recording_start: 'immediate',
        mask_inputs: true,
        redact_pii: true,
        mask_text: false,
        mask_selectors: [],
        block_selectors: [],
        ignore_selectors: [],
      },
      limits: { max_bytes: 2_097_152, max_duration_ms: 900_000, retention_days: 30 },
    })
    const change = { ...query, enabled: true, mask_selectors: ['.name'] }
    const { body } = await service.call(routes.updateReplaySettings, { body: change })
    expect(body).toMatchObject({ ok: true, settings: { enabled: true, mask_selectors: ['.name'] } })
    await service.call(routes.updateReplaySettings, { body: { ...query, recording_start: 'after_consent' } })
    const { body: after } = await service.call(routes.readReplaySettings, { query })
    expect(after.settings).toMatchObject({
      enabled: true,
      recording_start: 'after_consent',
      mask_selectors: ['.name'],
    })
  })

  test.each([
    { mask_inputs: false },
    { redact_pii: false },
    { recording_start: 'never' },
    { enabled: 'yes' },
    { mask_selectors: [''] },
    { block_selectors: ['a{color:red}'] },
    { ignore_selectors: Array.from({ length: 21 }, () => 'input') },
    { mask_selectors: ['x'.repeat(201)] },
  ])('%j is refused, and nothing changes', async wrong => {
    const project = await service.createProject()
    const body = { project: project.name, enabled: true, ...wrong }
    const response = await service.call(routes.updateReplaySettings, { body })
    expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(await service.replays.settings.known(project.id)).toBe(null)
  })

  test('the configuration for the recorder has no settings while replay is off, and is cached for a minute', async () => {
    const project = await service.createProject()
    const query = { token: project.project_token }
    const off = await service.call(routes.replayConfig, { ...NO_KEY, query })
    expect(off.body).toEqual({ enabled: false })
    expect(off.headers.get('cache-control')).toBe('public, max-age=60')
    await service.replays.settings.change(project, { enabled: true, block_selectors: ['#card'] })
    service.wait(6_000)
    const on = await service.call(routes.replayConfig, { ...NO_KEY, query })
    expect(on.body).toEqual({
      enabled: true,
      recording_start: 'immediate',
      mask_text: false,
      mask_selectors: [],
      block_selectors: ['#card'],
      ignore_selectors: [],
      limits: REPLAY_LIMITS,
    })
    const unknown = await service.call(routes.replayConfig, { ...NO_KEY, query: { token: 'aat_0' } })
    expect(unknown.body.error).toBe('INVALID_TOKEN')
  })
})

describe('uploads', () => {
  test('a replay is recorded, ends, and is listed with what was stored', async () => {
    const project = await service.createProject()
    const start = {
      ...(await newRecording(service, project)),
      user_id: 'anon_1',
      url: 'https://a.example/x?mail=a@b.c',
    }
    const { status, body } = await service.call(routes.startReplay, { ...NO_KEY, body: start })
    expect([status, body]).toEqual([
      202,
      { ok: true, replay_id: expect.stringMatching(/^rpl_[0-9a-f]{32}$/), limits: REPLAY_LIMITS },
    ])
    const id = String(body.replay_id)
    const { token, session_id, started_at } = start
    const chunk = { token, session_id, index: 0, events: snapshotAt(started_at) }
    expect((await upload(id, chunk)).body).toEqual({ ok: true, stored: true })
    const events = [{ type: 3, timestamp: started_at + 5_000, data: { source: 1 } }]
    const gzip = gzipSync(JSON.stringify(events)).toString('base64')
    expect((await upload(id, { token, session_id, index: 1, gzip })).body).toEqual({ ok: true, stored: true })
    expect((await listed({ project: project.name })).replays).toMatchObject([{ id, status: 'recording' }])
    const end = { token, session_id, chunks: 2 }
    const finished = await service.call(routes.finishReplay, { ...NO_KEY, id, body: end })
    expect([finished.status, finished.body]).toEqual([202, { ok: true }])
    const { replays, next_before } = await listed({ project: project.name, session_id })
    expect(next_before).toBe(null)
    expect(replays).toEqual([
      {
        id,
        status: 'complete',
        project_id: project.id,
        analytics_session_id: session_id,
        started_at,
        committed_bytes: expect.any(Number),
        event_count: 3,
        has_full_snapshot: true,
        duration_ms: 5_000,
        user_id: 'anon_1',
        entry_page: '/x',
      },
    ])
    const { body: one } = await service.call(routes.readReplay, { id })
    expect(one.chunks).toMatchObject([
      { index: 0, event_count: 2, from: started_at, to: started_at + 1 },
      { index: 1, event_count: 1, from: started_at + 5_000, to: started_at + 5_000 },
    ])
    const bytes = (one.chunks as { bytes: number }[]).reduce((sum, each) => sum + each.bytes, 0)
    expect(one.committed_bytes).toBe(bytes)
  })

  test('lone surrogates become U+FFFD in the ids of the session and its users, as in those of events', async () => {
    const project = await service.createProject()
    const start = {
      ...(await newRecording(service, project)),
      session_id: 's\ud800',
      user_id: 'u\udc00',
    }
    const { status, body } = await service.call(routes.startReplay, { ...NO_KEY, body: start })
    expect(status).toBe(202)
    const id = String(body.replay_id)
    const { token, session_id, started_at } = start
    const chunk = { token, session_id, user_id: '\ud800v', index: 0, events: snapshotAt(started_at) }
    expect((await upload(id, chunk)).body).toEqual({ ok: true, stored: true })
    const end = { token, session_id, chunks: 1 }
    expect((await service.call(routes.finishReplay, { ...NO_KEY, id, body: end })).status).toBe(202)
    const query = { project: project.name, session_id: 's\ufffd' }
    expect((await listed(query)).replays).toMatchObject([{ id, analytics_session_id: 's\ufffd' }])
    for (const userId of ['u\ufffd', '\ufffdv']) {
      expect(await service.replays.ofPerson.find(project, [userId])).toMatchObject([{ id }])
    }
  })

  test('starts, chunks and ends that come twice or at the same time count once', async () => {
    const project = await service.createProject()
    const body = await newRecording(service, project)
    const starts = await Promise.all(
      [1, 2, 3].map(() => service.call(routes.startReplay, { ...NO_KEY, body })),
    )
    const ids = new Set(starts.map(({ body }) => body.replay_id))
    expect(ids.size).toBe(1)
    const id = String([...ids][0])
    const { token, session_id, started_at } = body
    const chunk = { token, session_id, index: 0, events: snapshotAt(started_at) }
    const stored = await Promise.all([1, 2, 3, 4].map(() => upload(id, chunk)))
    expect(stored.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    expect(stored.filter(({ body }) => body.stored)).toHaveLength(1)
    const end = { ...NO_KEY, id, body: { token, session_id, chunks: 1 } }
    await Promise.all([1, 2].map(() => service.call(routes.finishReplay, end)))
    const { replays } = await listed({ project: project.name })
    expect(replays).toMatchObject([{ id, status: 'complete', event_count: 2 }])
    const used = await service.replays.quota.read(service.owner)
    const all = await Promise.all(
      (await service.projects.list(service.owner.id)).map(({ name }) => listed({ project: name })),
    )
    const committed = all.flatMap(each => each.replays).reduce((sum, each) => sum + each.committed_bytes, 0)
    expect(used.committed).toBe(committed)
  })

  test('a chunk that never came makes a replay incomplete, and so does silence', async () => {
    const project = await service.createProject()
    const { id, upload: fields, started_at } = await newReplay(service, project)
    await upload(id, { ...fields, index: 1, events: snapshotAt(started_at) })
    await service.call(routes.finishReplay, { ...NO_KEY, id, body: { ...fields, chunks: 2 } })
    const silent = await newReplay(service, project)
    const statusOf = async () =>
      Object.fromEntries(
        (await listed({ project: project.name })).replays.map(each => [each.id, each.status]),
      )
    expect(await statusOf()).toEqual({ [id]: 'incomplete', [silent.id]: 'recording' })
    service.wait(31 * 60_000)
    expect(await statusOf()).toEqual({ [id]: 'incomplete', [silent.id]: 'incomplete' })
    // The page was offline.
    await upload(id, { ...fields, index: 0, events: snapshotAt(started_at) })
    expect(await statusOf()).toMatchObject({ [id]: 'complete' })
  })

  test('a replay whose page was left is complete, and goes on with a chunk of the next page', async () => {
    const project = await service.createProject()
    const { id, upload: fields, started_at } = await newReplay(service, project)
    const send = (index: number) => upload(id, { ...fields, index, events: snapshotAt(started_at) })
    const leave = (chunks: number) =>
      service.call(routes.finishReplay, { ...NO_KEY, id, body: { ...fields, chunks, left: true } })
    const status = async () => (await listed({ project: project.name })).replays[0]?.status
    await send(0)
    // Requests of a page that is left come in any order.
    await leave(2)
    expect(await status()).toBe('incomplete')
    await send(1)
    expect(await status()).toBe('complete')
    await send(2)
    expect(await status()).toBe('recording')
    await leave(3)
    await leave(2)
    expect(await status()).toBe('complete')
    await send(3)
    await service.call(routes.finishReplay, { ...NO_KEY, id, body: { ...fields, chunks: 4 } })
    await leave(4)
    expect(await status()).toBe('complete')
    expect(
      (await service.call(routes.finishReplay, { ...NO_KEY, id, body: { ...fields, chunks: 4, left: 1 } }))
        .status,
    ).toBe(400)
  })

  test('no more than the limit is stored, however many chunks come at once', async () => {
    const project = await service.createProject()
    const { id, upload: fields, started_at } = await newReplay(service, project)
    const events = noise(started_at, 900_000)
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, index) => upload(id, { ...fields, index, events })),
    )
    const refused = sent.filter(({ status }) => status === 413)
    expect(refused.length).toBeGreaterThan(0)
    const { body } = await service.call(routes.readReplay, { id })
    expect(body.committed_bytes).toBeLessThanOrEqual(REPLAY_LIMITS.max_bytes)
    expect(body.chunks).toHaveLength(sent.length - refused.length)
    const stored = await service.replays.objects.list(`replays/`)
    expect(stored.filter(({ key }) => key.includes(id))).toHaveLength(sent.length - refused.length)
  })

  test.each([
    ['another session', { session_id: 's-other' }, 404, 'NOT_FOUND'],
    ['no token', { token: undefined }, 400, 'MISSING_FIELDS'],
    ['an unknown token', { token: 'aat_0' }, 401, 'INVALID_TOKEN'],
    ['a negative index', { index: -1 }, 400, 'MISSING_FIELDS'],
    ['an index past the last one', { index: 400 }, 400, 'MISSING_FIELDS'],
    ['no events', { events: [] }, 400, 'MISSING_FIELDS'],
    ['events and gzip', { gzip: 'H4sI' }, 400, 'MISSING_FIELDS'],
    ['gzip that is none', { events: undefined, gzip: 'bm8=' }, 400, 'INVALID_BODY'],
    ['gzip of no list', { events: undefined, gzip: gzipSync('{}').toString('base64') }, 400, 'INVALID_BODY'],
    [
      'a gzip bomb',
      { events: undefined, gzip: gzipSync(Buffer.alloc(MAX_CHUNK_JSON_BYTES + 1)).toString('base64') },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['an event without a type', { events: [{ timestamp: 1 }] }, 400, 'INVALID_BODY'],
    ['an event that is a text', { events: ['<script>'] }, 400, 'INVALID_BODY'],
    [
      'an event of tomorrow',
      { events: [{ type: 3, timestamp: Date.UTC(2027, 1, 1), data: {} }] },
      400,
      'INVALID_BODY',
    ],
  ])('a chunk with %s is refused', async (_, wrong, status, error) => {
    const project = await service.createProject()
    const { id, upload: fields, started_at } = await newReplay(service, project)
    const response = await upload(id, { ...fields, index: 0, events: snapshotAt(started_at), ...wrong })
    expect([response.status, response.body.error]).toEqual([status, error])
    expect(await service.replays.objects.list(`replays/2026-11-21/${id}`)).toEqual([])
  })

  describe('chunks that are small and unpack to much', () => {
    const packed = (json: string) => ({ gzip: gzipSync(json).toString('base64') })
    const filled = (at: number, filling: string) =>
      `[{"type":3,"timestamp":${at},"data":[${filling.repeat(Math.floor((MAX_CHUNK_JSON_BYTES - 1_000) / filling.length))}0]}]`

    test.each([
      ['lists', '[],'],
      ['numbers', '1,'],
      ['objects in objects', '{"a":{}},'],
    ])('with too many values are refused before they are parsed: %s', async (_, filling) => {
      const project = await service.createProject()
      const { id, upload: fields, started_at } = await newReplay(service, project)
      const sent = { ...fields, index: 0, ...packed(filled(started_at, filling)) }
      const response = await upload(id, sent)
      expect([response.status, response.body.error]).toEqual([400, 'INVALID_BODY'])
      expect(response.body.message).toContain('values')
    })

    test('count a part of their JSON, so a replay takes few of them', async () => {
      const project = await service.createProject()
      const { id, upload: fields, started_at } = await newReplay(service, project)
      const text = packed(filled(started_at, '"x                             ",'))
      const statuses: number[] = []
      for (let index = 0; index < 18; index++)
        statuses.push((await upload(id, { ...fields, index, ...text })).status)
      expect(statuses).toEqual([...Array(16).fill(202), 413, 413])
      const { body } = await service.call(routes.readReplay, { id })
      expect(body.committed_bytes).toBeLessThanOrEqual(REPLAY_LIMITS.max_bytes)
    })

    test('end their replay when several could not be read, and no other one', async () => {
      const project = await service.createProject()
      const { id, upload: fields, started_at } = await newReplay(service, project)
      const bad = (index: number) => upload(id, { ...fields, index, events: snapshotAt(1) })
      for (let i = 0; i < 3; i++) expect((await bad(i)).status).toBe(400)
      const over = await upload(id, { ...fields, index: 3, events: snapshotAt(started_at) })
      expect([over.status, over.body.error]).toEqual([403, 'FORBIDDEN'])
      const other = await newReplay(service, project)
      const sent = { ...other.upload, index: 0, events: snapshotAt(other.started_at) }
      expect((await upload(other.id, sent)).status).toBe(202)
    })
  })

  test('a chunk for a replay of another project is refused', async () => {
    const [one, two] = [await service.createProject(), await service.createProject()]
    const { id, upload: fields, started_at } = await newReplay(service, one)
    await service.replays.settings.change(two, { enabled: true })
    const body = { ...fields, token: two.project_token, index: 0, events: snapshotAt(started_at) }
    expect((await upload(id, body)).status).toBe(404)
  })

  test('a start is refused while replay is off, from a foreign origin, and with a time that cannot be', async () => {
    const project = await service.createProject()
    const body = await newRecording(service, project)
    const call = (fields: object, headers = {}) =>
      service.call(routes.startReplay, { ...NO_KEY, headers, body: { ...body, ...fields } })
    expect((await call({ started_at: 1 })).body.error).toBe('INVALID_TIMESTAMP')
    expect((await call({ start_id: 'short' })).body.error).toBe('MISSING_FIELDS')
    await service.call(routes.updateProject, {
      id: project.id,
      body: { allowed_origins: 'https://a.example' },
    })
    service.wait(6_000)
    expect((await call({}, { Origin: 'https://b.example' })).body.error).toBe('FORBIDDEN')
    expect((await call({}, { Origin: 'https://a.example' })).status).toBe(202)
    await service.replays.settings.change(project, { enabled: false })
    service.wait(6_000)
    const off = await call({}, { Origin: 'https://a.example' })
    expect([off.status, off.body.error]).toEqual([403, 'FORBIDDEN'])
  })
})

test('the pages of the list have every replay once, newest first, over all projects', async () => {
  const own = await openHttpService()
  try {
    const projects = [await own.createProject(), await own.createProject()]
    const ids: string[] = []
    for (let i = 0; i < 7; i++) {
      own.wait(1_000)
      const project = projects[i % 2] ?? expect.unreachable()
      ids.unshift((await newReplay(own, project)).id)
    }
    const found: string[] = []
    let before: string | null = null
    do {
      const query: Record<string, string> = { limit: '3', ...(before !== null && { before }) }
      const { body } = await own.call(routes.listReplays, { query })
      found.push(...(body.replays as { id: string }[]).map(({ id }) => id))
      before = body.next_before as string | null
    } while (before !== null)
    expect(found).toEqual(ids)
  } finally {
    await own.close()
  }
})

describe('the list', () => {
  const ID = 'rpl_019a0000000000000000000000000000'

  test.each(['x', '', `${ID}0`, ID.slice(0, -1), ID.toUpperCase()])(
    'refuses %j as a cursor',
    async before => {
      const project = await service.createProject()
      await newReplay(service, project)
      for (const scope of [{}, { project: project.name }, { session_id: 's-1' }] as Record<
        string,
        string
      >[]) {
        const response = await service.call(routes.listReplays, { query: { ...scope, before } })
        expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
        expect(response.body.message).toMatch(/^Parameter `before` is not a cursor\./)
      }
    },
  )

  test('takes the id of a replay that was deleted since as a cursor', async () => {
    expect((await service.call(routes.listReplays, { query: { before: ID } })).status).toBe(200)
  })

  test.each(['1e1', '0x10', '2.0', ' 2', '', '0', '101', '-1'])('refuses %j as a limit', async limit => {
    const response = await service.call(routes.listReplays, { query: { limit } })
    expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(response.body.message).toMatch(/^Parameter `limit` must be a whole number from 1 to 100\./)
  })
})

describe('deletion', () => {
  test('a deleted replay leaves no byte, and gives its bytes back', async () => {
    const project = await service.createProject()
    const before = await service.replays.quota.read(service.owner)
    const { id } = await newFinishedReplay(service, project)
    const { body } = await service.call(routes.deleteReplay, { id })
    expect(body).toEqual({ ok: true, deleted: id })
    expect((await service.call(routes.readReplay, { id })).status).toBe(404)
    expect((await service.replays.objects.list('replays/')).filter(({ key }) => key.includes(id))).toEqual([])
    const { observed, ...stored } = await service.replays.quota.read(service.owner)
    expect(stored).toEqual({ committed: before.committed, reserved: before.reserved })
    expect(observed).toBeGreaterThan(before.observed)
  })

  test('all replays of a project go with the confirmation, and recording stops', async () => {
    const [project, other] = [await service.createProject(), await service.createProject()]
    for (let i = 0; i < 3; i++) await newFinishedReplay(service, project)
    const kept = await newFinishedReplay(service, other)
    const unconfirmed = await service.call(routes.deleteReplays, { body: { project: project.name } })
    expect([unconfirmed.status, unconfirmed.body.error]).toEqual([400, 'MISSING_FIELDS'])
    const confirmed = { confirm: 'delete_replay_data', project: project.name }
    const { body } = await service.call(routes.deleteReplays, { body: confirmed })
    expect(body).toEqual({ ok: true, deleted: 3, project: project.name })
    expect((await listed({ project: project.name })).replays).toEqual([])
    expect((await service.replays.settings.ofProject(project.id)).enabled).toBe(false)
    expect((await service.call(routes.readReplay, { id: kept.id })).status).toBe(200)
  })

  test('the replays of an erased person go, and the receipt has their number', async () => {
    const project = await service.createProject()
    const body = await newRecording(service, project)
    for (const [i, user_id] of ['u1', 'u1', 'u2'].entries()) {
      await service.replays.uploads.start({
        ...body,
        start_id: `${body.start_id}${i}`,
        user_id,
        origin: undefined,
      })
    }
    const query = { project: project.name }
    const { body: erased } = await service.call(routes.erasePerson, { id: 'u1', query })
    const { replays } = await listed(query)
    expect(replays.map(({ user_id }) => user_id)).toEqual(['u2'])
    const { body: receipt } = await service.call(routes.readErasure, { id: String(erased.erasure_id) })
    expect(receipt.removed).toMatchObject({ replays: 2 })
  })

  test('a replay that learns of a user with a later chunk goes with that user', async () => {
    const project = await service.createProject()
    const { id, upload, started_at } = await newReplay(service, project)
    const chunk = { ...upload, events: snapshotAt(started_at), origin: undefined }
    await service.replays.uploads.addChunk(id, { ...chunk, index: 0 })
    await service.replays.uploads.addChunk(id, { ...chunk, index: 1, user_id: 'u1' })
    const other = await service.createProject()
    await service.replays.settings.change(other, { enabled: true })
    expect(await service.replays.ofPerson.find(other, ['u1'])).toEqual([])
    const found = await service.replays.ofPerson.find(project, ['u0', 'u1', 'u2'])
    expect(found.map(replay => replay.id)).toEqual([id])
    await service.replays.ofPerson.remove(found)
    expect(await service.replays.replays.byId(id)).toBeNull()
    expect(await service.replays.ofPerson.find(project, ['u1'])).toEqual([])
  })
})

describe('the viewer', () => {
  test('its address has the secret in the fragment, and is good for an hour', async () => {
    const project = await service.createProject()
    const { id, started_at } = await newFinishedReplay(service, project)
    const { body } = await service.call(routes.openReplay, { id })
    expect(body.expires_at).toBe(service.now() + 3_600_000)
    const [address, secret] = String(body.viewer_url).split('#')
    expect(address).toMatch(/\/replay\/viewer$/)
    expect(secret).toMatch(/^aav_[0-9a-f]{64}$/)
    const view = (fields = {}) => service.call(routes.viewReplay, { ...NO_KEY, body: { secret, ...fields } })
    const { body: shown } = await view()
    expect(shown.replay).toMatchObject({ id, status: 'complete', chunks: [{ index: 0 }] })
    const chunk = await service.call(routes.viewChunk, { ...NO_KEY, body: { secret, index: 0 } })
    expect(chunk.body).toEqual(snapshotAt(started_at))
    expect(chunk.headers.get('cache-control')).toBe('no-store')
    const missing = await service.call(routes.viewChunk, { ...NO_KEY, body: { secret, index: 1 } })
    expect([missing.status, missing.body.error]).toEqual([404, 'NOT_FOUND'])
    service.wait(3_600_000)
    expect((await view()).status).toBe(404)
  })

  test('the audit log has its opening, and neither it nor the reads of the viewer leave the secret there', async () => {
    const project = await service.createProject()
    const { id } = await newFinishedReplay(service, project)
    const secret = await openSecret(service, id)
    await service.call(routes.viewReplay, { ...NO_KEY, body: { secret } })
    await service.call(routes.viewChunk, { ...NO_KEY, body: { secret, index: 0 } })
    const audit = await service.call(routes.readAudit, {})
    expect(audit.body.entries).toContainEqual(
      expect.objectContaining({ action: 'openReplay', project: project.name, status: 200 }),
    )
    expect(audit.text).not.toContain(secret)
    expect(audit.text).not.toContain(secret.slice(4))
  })

  test('it is dead after the session that opened it is disconnected, and after the replay is deleted', async () => {
    const project = await service.createProject()
    const { id } = await newFinishedReplay(service, project)
    const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
    const session = await service.agentSessions.issue(service.owner.id, {
      ...client,
      scopes: ['replays:read'],
    })
    const headers = { Authorization: `Bearer ${session.access_token}` }
    const { body } = await service.call(routes.openReplay, { ...NO_KEY, headers, id })
    const secret = String(body.viewer_url).split('#')[1] ?? ''
    const view = (of: string) => service.call(routes.viewReplay, { ...NO_KEY, body: { secret: of } })
    expect((await view(secret)).status).toBe(200)
    await service.agentSessions.revoke(service.owner.id, session.id)
    expect((await view(secret)).status).toBe(404)
    const other = await newViewer(service, project)
    expect((await view(other)).status).toBe(200)
    await service.call(routes.deleteReplays, {
      body: { confirm: 'delete_replay_data', project: project.name },
    })
    expect((await view(other)).status).toBe(404)
    expect((await view('aav_0')).status).toBe(404)
  })

  test('it is dead after the API key that opened it is replaced, and one that was opened with the new key is not', async () => {
    const project = await service.createProject()
    const { id } = await newFinishedReplay(service, project)
    const secret = await openSecret(service, id)
    const inBrowser = await service.call(routes.openReplay, {
      ...NO_KEY,
      headers: await service.browser(),
      id,
    })
    const view = async (of: string) =>
      (await service.call(routes.viewReplay, { ...NO_KEY, body: { secret: of } })).status
    expect(await view(secret)).toBe(200)
    await service.newKey()
    expect(await view(secret)).toBe(404)
    expect(await view(await openSecret(service, id))).toBe(200)
    expect(await view(String(inBrowser.body.viewer_url).split('#')[1] ?? '')).toBe(200)
  })

  test.each([
    ['signs out', ({ browserSessions }: HttpService, token: string) => browserSessions.end(token)],
    [
      'signs in again',
      ({ browserSessions, owner }: HttpService, token: string) => browserSessions.rotate(token, owner.id),
    ],
    ['was signed in for 30 days', async ({ wait }: HttpService) => wait(1_800_000)],
  ])(
    'it is dead after the browser that opened it %s, and those of other browsers are not',
    async (_, end) => {
      const own = await openHttpService()
      try {
        const project = await own.createProject()
        const first = await own.browser()
        const token = String(first.Cookie).split('=')[1] ?? ''
        own.wait(30 * 86_400_000 - 1_200_000)
        const second = await own.browser()
        const { id } = await newFinishedReplay(own, project)
        const open = async (headers: Record<string, string>) => {
          const { body } = await own.call(routes.openReplay, { ...NO_KEY, headers, id })
          return String(body.viewer_url).split('#')[1] ?? ''
        }
        const secrets = [await open(first), await open(second)]
        const statuses = () =>
          Promise.all(
            secrets.map(
              async secret => (await own.call(routes.viewReplay, { ...NO_KEY, body: { secret } })).status,
            ),
          )
        expect(await statuses()).toEqual([200, 200])
        await end(own, token)
        expect(await statuses()).toEqual([404, 200])
      } finally {
        await own.close()
      }
    },
  )

  test('it is dead after the project is deleted', async () => {
    const project = await service.createProject()
    const secret = await newViewer(service, project)
    const asked = [routes.viewReplay, routes.viewChunk, routes.viewEvents]
    const statuses = async () =>
      Promise.all(
        asked.map(async route => {
          const body = { secret, ...(route === routes.viewChunk && { index: 0 }) }
          return (await service.call(route, { ...NO_KEY, body })).status
        }),
      )
    expect((await statuses()).slice(0, 2)).toEqual([200, 200])
    await service.call(routes.deleteProject, { id: project.id })
    expect(await statuses()).toEqual([404, 404, 404])
  })

  test('a damaged chunk is said to be missing, and the others play', async () => {
    const project = await service.createProject()
    const { id, upload: fields, started_at } = await newReplay(service, project)
    for (const index of [0, 1]) await upload(id, { ...fields, index, events: snapshotAt(started_at + index) })
    const { body } = await service.call(routes.openReplay, { id })
    const secret = String(body.viewer_url).split('#')[1]
    const [first] = (await service.replays.objects.list('replays/')).filter(({ key }) =>
      key.includes(`${id}/0-`),
    )
    await service.replays.objects.put(first?.key ?? '', Buffer.from('damage'))
    const read = (index: number) => service.call(routes.viewChunk, { ...NO_KEY, body: { secret, index } })
    expect((await read(0)).status).toBe(404)
    expect((await read(1)).status).toBe(200)
  })
})

/** The limit, what remains of it, and the seconds until the reset, of a 429 (R20). */
function limitOf(response: { headers: Headers } | undefined) {
  const header = (name: string) => response?.headers.get(name) ?? null
  expect(Number(header('x-ratelimit-reset'))).toBeGreaterThan(0)
  return [header('x-ratelimit-limit'), header('x-ratelimit-remaining'), Number(header('retry-after'))]
}

test.each([
  ['bytes that came in within 30 days', 'replay_ingestion_bytes=1', ['1', '0', 3_600]],
  ['replays of a session', 'replay_starts=-1', ['50', '0', 86_400]],
])(
  'a start over the limit of %s tells a recorder to stop, with the state of the limit',
  async (_, limits, state) => {
    const own = await openHttpService({ limits })
    try {
      const project = await own.createProject()
      const start = await newRecording(own, project)
      await newFinishedReplay(own, project)
      let response: Awaited<ReturnType<HttpService['call']>> | undefined
      for (let i = 10; i < 61; i++) {
        const body = { ...start, start_id: `${start.start_id}${i}` }
        response = await own.call(routes.startReplay, { ...NO_KEY, body })
      }
      expect([response?.status, response?.body.reason]).toEqual([429, 'replay_quota'])
      expect(limitOf(response)).toEqual(state)
    } finally {
      await own.close()
    }
  },
)

test('an address of the viewer reads the events 60 times, and a 429 says until when', async () => {
  const secret = await newViewer(service, await service.createProject())
  const read = () => service.call(routes.viewEvents, { ...NO_KEY, body: { secret } })
  for (let i = 0; i < 60; i++) expect((await read()).status).toBe(200)
  service.wait(600_000)
  const refused = await read()
  expect([refused.status, refused.body.error]).toEqual([429, 'RATE_LIMITED'])
  expect(limitOf(refused)).toEqual(['60', '0', 3_000])
})

test('usage has stored, reserved and received bytes, and a full account takes no new replay', async () => {
  const limits = `replay_storage_bytes=${2 * REPLAY_LIMITS.max_bytes}`
  const small = await openHttpService({ limits })
  try {
    const project = await small.createProject()
    await newFinishedReplay(small, project)
    await newReplay(small, project)
    const { body } = await small.call(routes.readReplayUsage)
    const [first] = (await small.call(routes.listReplays)).body.replays as [
      unknown,
      { committed_bytes: number },
    ]
    expect(first).toBeDefined()
    const { committed } = await small.replays.quota.read(small.owner)
    expect(body).toEqual({
      storage: {
        committed_bytes: committed,
        reserved_bytes: REPLAY_LIMITS.max_bytes,
        limit_bytes: 2 * REPLAY_LIMITS.max_bytes,
      },
      rolling_30d_ingestion: { observed_bytes: committed, limit_bytes: -1 },
    })
    const start = await newRecording(small, project)
    const starts = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        small.call(routes.startReplay, { ...NO_KEY, body: { ...start, start_id: `${start.start_id}${i}` } }),
      ),
    )
    expect(starts.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429])
    expect(starts[0]?.body).toMatchObject({ error: 'RATE_LIMITED', reason: 'replay_quota' })
    expect(limitOf(starts[0])).toEqual([String(2 * REPLAY_LIMITS.max_bytes), '0', 3_600])
  } finally {
    await small.close()
  }
})

test('without a project the replays of any number of projects are listed and deleted', async () => {
  const own = await openHttpService()
  try {
    const projects: Project[] = []
    for (let i = 0; i < 120; i++) projects.push(await own.createProject())
    for (const each of projects) await own.replays.settings.change(each, { enabled: true })
    const ids: string[] = []
    for (const at of [119, 3, 60, 60, 0, 101, 3]) {
      own.wait(1_000)
      ids.unshift((await newReplay(own, projects[at] ?? expect.unreachable())).id)
    }
    const list = async (query: Record<string, string>) => {
      const { status, body } = await own.call(routes.listReplays, { query })
      const found = ((body.replays ?? []) as { id: string }[]).map(({ id }) => id)
      return [status, found, body.next_before ?? null]
    }
    expect(await list({})).toEqual([200, ids, null])
    expect(await list({ limit: '4' })).toEqual([200, ids.slice(0, 4), ids[3]])
    expect(await list({ limit: '4', before: ids[3] ?? '' })).toEqual([200, ids.slice(4), null])
    const confirmed = { confirm: 'delete_replay_data' }
    const { body } = await own.call(routes.deleteReplays, { body: confirmed })
    expect(body).toEqual({ ok: true, deleted: 7 })
    expect(await list({})).toEqual([200, [], null])
    const settings = await Promise.all(projects.map(({ id }) => own.replays.settings.ofProject(id)))
    expect(settings.filter(({ enabled }) => enabled)).toEqual([])
  } finally {
    await own.close()
  }
})

test('an expired replay is in no read, whatever the table has deleted, and an erasure still deletes its objects', async () => {
  const own = await openHttpService()
  try {
    const project = await own.createProject()
    const { id, upload: fields, started_at } = await newReplay(own, project)
    const chunk = { ...fields, user_id: 'u1', index: 0, events: snapshotAt(started_at) }
    await own.call(routes.uploadChunk, { ...NO_KEY, id, body: chunk })
    const { session_id } = fields
    const query = { project: project.name }
    // One millisecond before it expires.
    own.wait(started_at + REPLAY_LIMITS.retention_days * 86_400_000 - 1 - own.now())
    const secret = await openSecret(own, id)
    const reads = async () => {
      const viewer = (route: typeof routes.viewReplay | typeof routes.viewChunk | typeof routes.viewEvents) =>
        own.call(route, { ...NO_KEY, body: { secret, ...(route === routes.viewChunk && { index: 0 }) } })
      const lists = await Promise.all(
        [{}, query, { session_id }, { ...query, session_id }].map(async each => {
          const { body } = await own.call(routes.listReplays, { query: each as Record<string, string> })
          return (body.replays as unknown[]).length
        }),
      )
      const counts = await own.replays.countReplays(project.id, [session_id])
      const statuses = [
        await own.call(routes.readReplay, { id }),
        await own.call(routes.openReplay, { id }),
        await viewer(routes.viewReplay),
        await viewer(routes.viewChunk),
        await viewer(routes.viewEvents),
      ].map(({ status }) => status)
      return { lists, statuses, count: counts.get(session_id) ?? 0 }
    }
    expect(await reads()).toEqual({ lists: [1, 1, 1, 1], statuses: [200, 200, 200, 200, 200], count: 1 })
    own.wait(1)
    expect(await reads()).toEqual({ lists: [0, 0, 0, 0], statuses: [404, 404, 404, 404, 404], count: 0 })
    expect((await own.call(routes.deleteReplay, { id })).status).toBe(404)
    const objects = async () => (await own.replays.objects.list('replays/')).length
    expect(await objects()).toBe(1)
    const found = await own.replays.ofPerson.find(project, ['u1'])
    expect(found.map(replay => replay.id)).toEqual([id])
    await own.replays.ofPerson.remove(found)
    expect(await objects()).toBe(0)
  } finally {
    await own.close()
  }
})

test('a replay has at most 20 users, whatever user each of its chunks names', async () => {
  const own = await openHttpService()
  try {
    const { id, upload, started_at } = await newReplay(own, await own.createProject())
    const send = (index: number, user_id: string) => {
      const body = { ...upload, user_id, index, events: snapshotAt(started_at) }
      return own.call(routes.uploadChunk, { ...NO_KEY, id, body })
    }
    const answers = []
    for (let i = 0; i < 25; i++) answers.push(await send(i, `u-${i}`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(202), ...Array(5).fill(400)])
    expect(answers.at(-1)?.body).toMatchObject({ error: 'INVALID_BODY' })
    expect(answers.at(-1)?.body.message).toContain('20 users')
    expect((await send(30, 'u-3')).status).toBe(202)
  } finally {
    await own.close()
  }
})

test('uploads count toward the limit of the token', async () => {
  const limited = await openHttpService({ limits: 'token_requests_per_minute=2' })
  try {
    const { id, upload, started_at } = await newReplay(limited, await limited.createProject())
    const statuses: number[] = []
    for (let i = 0; i < 50 && !statuses.includes(429); i++) {
      const body = { ...upload, index: 0, events: snapshotAt(started_at) }
      statuses.push((await limited.call(routes.uploadChunk, { ...NO_KEY, id, body })).status)
    }
    expect(statuses[0]).toBe(202)
    expect(statuses.at(-1)).toBe(429)
  } finally {
    await limited.close()
  }
})

test('under `own` a stranger with the public token starts 60 replays in an hour, not 600', async () => {
  const own = await openHttpService()
  try {
    const start = await newRecording(own, await own.createProject())
    const starts = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        own.call(routes.startReplay, { ...NO_KEY, body: { ...start, session_id: `s-${i}` } }),
      ),
    )
    expect(starts.filter(({ status }) => status === 202)).toHaveLength(60)
    const { body } = await own.call(routes.readReplayUsage)
    expect(body.storage).toMatchObject({
      reserved_bytes: 60 * REPLAY_LIMITS.max_bytes,
      limit_bytes: 10_000_000_000,
    })
  } finally {
    await own.close()
  }
})

test('from many addresses a project starts only so many replays in an hour, and recorders are told to stop', async () => {
  const guarded = await openHttpService({ limits: 'replay_starts=-1,project_replay_starts=2' })
  try {
    const [project, other] = [await guarded.createProject(), await guarded.createProject()]
    const start = await newRecording(guarded, project)
    const begin = (body: object) => guarded.call(routes.startReplay, { ...NO_KEY, body })
    const again = { ...start, start_id: `${start.start_id}1` }
    const answers = []
    for (const i of [1, 1, 1, 2, 3])
      answers.push(await begin({ ...start, start_id: `${start.start_id}${i}` }))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 429])
    expect(answers.at(-1)?.body).toMatchObject({ error: 'RATE_LIMITED', reason: 'replay_quota' })
    expect((await begin(again)).status).toBe(202)
    expect((await begin(await newRecording(guarded, other))).status).toBe(202)
    guarded.wait(3_700_000)
    expect(
      (await begin({ ...start, start_id: `${start.start_id}4`, started_at: guarded.now() })).status,
    ).toBe(202)
  } finally {
    await guarded.close()
  }
})

test('one address starts only so many replays in an hour', async () => {
  const guarded = await openHttpService({ limits: 'replay_starts=2' })
  try {
    const project = await guarded.createProject()
    const start = await newRecording(guarded, project)
    const statuses = []
    for (const i of [1, 2, 3]) {
      const body = { ...start, start_id: `${start.start_id}${i}` }
      statuses.push((await guarded.call(routes.startReplay, { ...NO_KEY, body })).status)
    }
    expect(statuses).toEqual([202, 202, 429])
  } finally {
    await guarded.close()
  }
})
