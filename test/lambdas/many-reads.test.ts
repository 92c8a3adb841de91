import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { MAX_ANSWERS_BYTES, MAX_READS } from '#schemas/reads'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/** POST /reads (docs/api/reads.md#u125). */

const DAY = 86_400_000
const DE = { field: 'country', op: 'eq', value: 'DE' }

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project
/** Its events are large. */
let large: Project

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const events = Array.from({ length: 20 }, (_, i) => ({
    ...{ event: i % 3 === 0 ? 'signup' : 'visit', user_id: `u${i % 7}`, session_id: `s${i}` },
    ...{ timestamp: NOW - (i % 10) * DAY - 60_000, country: i % 2 === 0 ? 'DE' : 'FR' },
    properties: { path: `/p${i % 4}` },
  }))
  large = await service.createProject()
  const texts = Array.from({ length: 250 }, (_, i) => ({
    ...{ event: 'note', user_id: 'u', session_id: 's', timestamp: NOW - i * 1_000 },
    properties: { text: '"é'.repeat(2_000) },
  }))
  const records = [recordOf(project, events), recordOf(large, texts, 2)]
  built = await folder.build({ epochs: [[records], []], compacted: 1 })
})

afterAll(async () => {
  await service.close()
  await folder.close()
})

type Line = { read: string; status: number; body: Record<string, unknown> }

async function readAll(body: object): Promise<Line[]> {
  const answer = await service.call(routes.reads, { body: { project: project.name, ...body } })
  expect(answer.status).toBe(200)
  return answer.body.reads as Line[]
}

async function alone(name: 'stats' | 'pages' | 'conversion', query: Record<string, string>) {
  return (await service.call(routes[name], { query: { project: project.name, ...query } })).body
}

const readsOfMonth = async () =>
  (await service.call(routes.readProject, { id: project.id })).body.total_reads as number

test('each read of a call has the answer that it has alone, in the order of the call', async () => {
  const where = JSON.stringify(DE)
  const lines = await readAll({
    since: '7d',
    where: DE,
    reads: [
      { read: 'GET /pages', type: 'entry', limit: 2 },
      { read: 'GET /stats', groupBy: 'week' },
      { read: 'POST /query', metrics: ['event_count'], group_by: ['event'] },
    ],
  })
  expect(lines.map(({ read, status }) => [read, status])).toEqual([
    ['GET /pages', 200],
    ['GET /stats', 200],
    ['POST /query', 200],
  ])
  expect(lines[0]?.body).toEqual(await alone('pages', { since: '7d', where, type: 'entry', limit: '2' }))
  expect(lines[1]?.body).toEqual(await alone('stats', { since: '7d', where, groupBy: 'week' }))
  const asked = {
    project: project.name,
    since: '7d',
    where: DE,
    metrics: ['event_count'],
    group_by: ['event'],
  }
  expect(lines[2]?.body).toEqual((await service.call(routes.query, { body: asked })).body)
})

test('a read with a range or a condition of its own takes no range and no condition of the call, and all filters of its list hold', async () => {
  const [own, filtered] = await readAll({
    since: '2d',
    where: DE,
    reads: [
      { read: 'GET /stats', date_from: '9d', until: '3d' },
      { read: 'GET /stats', filter: ['country:eq:FR', 'event:eq:visit'] },
    ],
  })
  const where = JSON.stringify(DE)
  expect(own?.body).toEqual(await alone('stats', { date_from: '9d', until: '3d', where }))
  expect(filtered?.body).toEqual(
    await alone('stats', { since: '2d', filter: 'country:eq:FR\nevent:eq:visit' }),
  )
})

test('a read that is refused says so in its place, and the others are answered', async () => {
  const lines = await readAll({
    reads: [
      { read: 'GET /stats', since: 'yesterdays' },
      { read: 'GET /conversion', by: 'country' },
      { read: 'GET /stats', group_by: 'country' },
      { read: 'GET /stats' },
    ],
  })
  expect(lines.map(({ status, body }) => [status, body.error])).toEqual([
    [400, 'INVALID_SINCE'],
    [400, 'MISSING_FIELDS'],
    [400, 'MISSING_FIELDS'],
    [200, undefined],
  ])
})

test('each answered read counts one of the month, and the call itself none', async () => {
  const before = await readsOfMonth()
  await readAll({
    reads: [{ read: 'GET /stats' }, { read: 'GET /stats', since: 'never' }, { read: 'GET /properties' }],
  })
  expect(await readsOfMonth()).toBe(before + 2)
})

test('a name that is no read of a project refuses the call before anything runs', async () => {
  const before = await readsOfMonth()
  for (const [read, advice] of [
    ['GET /stat', 'Did you mean `GET /stats`?'],
    ['DELETE /users/{id}', 'Use one of GET /stats, '],
    ['POST /reads', 'names no read'],
    ['__proto__', 'Use one of'],
  ]) {
    const { status, body } = await service.call(routes.reads, {
      body: { project: project.name, reads: [{ read: 'GET /properties' }, { read }] },
    })
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toContain(advice)
  }
  expect(await readsOfMonth()).toBe(before)
})

test.each([
  ['none', []],
  ['one too many', Array(MAX_READS + 1).fill({ read: 'GET /stats' })],
  ['a text', ['GET /stats']],
  ['no list', { read: 'GET /stats' }],
])('%s of reads is 400', async (_, reads) => {
  const { status, body } = await service.call(routes.reads, { body: { project: project.name, reads } })
  expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
})

test('a call cannot reach another project than its own, whatever its reads name', async () => {
  const other = await service.createProject()
  const [line] = await readAll({ reads: [{ read: 'GET /stats', project: other.name }] })
  expect(line?.body.project).toBe(project.name)
})

test('as many reads as fit run on one look at the lake', async () => {
  const lines = await readAll({ reads: Array(MAX_READS).fill({ read: 'GET /stats', receipt: true }) })
  expect(lines.map(({ status }) => status)).toEqual(Array(MAX_READS).fill(200))
  expect(new Set(lines.map(({ body }) => JSON.stringify(body.totals))).size).toBe(1)
})

test('an answer that does not fit beside those before it is an error in its place, and smaller ones still come', async () => {
  const read = { read: 'GET /events', limit: 250 }
  const asked = { project: large.name, limit: '250' }
  const { body } = await service.call(routes.events, { query: asked })
  // A result of Lambda has the body as a text within JSON.
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(JSON.stringify(value)))
  const fitting = Math.floor(MAX_ANSWERS_BYTES / bytesOf(body))
  expect(fitting).toBeGreaterThan(0)
  expect(fitting).toBeLessThan(MAX_READS - 2)
  const reads = [...Array(fitting + 1).fill(read), { read: 'GET /stats' }]
  const answer = await service.call(routes.reads, { body: { project: large.name, reads } })
  const lines = answer.body.reads as Line[]
  expect(lines.map(({ status }) => status)).toEqual([...Array(fitting).fill(200), 400, 200])
  expect(lines[0]?.body.count).toBe(250)
  expect(lines[fitting]?.body).toEqual({
    error: 'MISSING_FIELDS',
    message:
      'The answers of this call are larger than 5 MB together, so this one is left out. Send this read alone, or with a smaller `limit`.',
  })
  expect(bytesOf(answer.body)).toBeLessThan(6 * 1024 * 1024)
})
