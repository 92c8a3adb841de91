import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ApiError } from '#core/errors'
import { noLimits } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import { packChunk } from '#core/replays/chunk'
import { createReplayUploads, type ReplayUploads } from '#core/replays/uploads'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newReplay, snapshotAt } from '#test/support/replays'

let service: HttpService
let uploads: ReplayUploads
const unpackings = { total: 0, running: 0, most: 0 }
beforeAll(async () => {
  service = await openHttpService()
  uploads = createReplayUploads({
    ...service.replays,
    projects: service.projects,
    accounts: service.accounts,
    starts: { count: async () => {} },
    limits: noLimits,
    clock: service,
    packChunk: countUnpackings,
  })
})
afterAll(() => service.close())

let project: Project
beforeEach(async () => {
  project = await service.createProject()
  Object.assign(unpackings, { total: 0, running: 0, most: 0 })
})

const countUnpackings: typeof packChunk = async (...chunk) => {
  unpackings.total++
  unpackings.running++
  unpackings.most = Math.max(unpackings.most, unpackings.running)
  try {
    return await packChunk(...chunk)
  } finally {
    unpackings.running--
  }
}

type Chunk = { index: number; events?: unknown[]; gzip?: string }

/** Uploads a chunk. Returns `stored`, `known`, or the code of the error. */
async function send({ id, upload }: Awaited<ReturnType<typeof newReplay>>, chunk: Chunk) {
  try {
    return (await uploads.addChunk(id, { ...upload, origin: undefined, ...chunk })) ? 'stored' : 'known'
  } catch (error) {
    return error instanceof ApiError ? error.code : error
  }
}

function countEach(outcomes: unknown[]) {
  return Object.fromEntries(
    [...new Set(outcomes)].map(one => [one, outcomes.filter(each => each === one).length]),
  )
}

function packed(events: unknown) {
  return { gzip: gzipSync(JSON.stringify(events)).toString('base64') }
}

test.each([
  ['have times of another year', () => packed(snapshotAt(1))],
  ['are not compressed', () => ({ events: snapshotAt(1) })],
  ['are no list', () => packed({})],
  ['are no gzip', () => ({ gzip: 'bm8=' })],
])('of 60 bad chunks at once, those after the third are not unpacked: they %s', async (_, content) => {
  const replay = await newReplay(service, project)
  const sent = Array.from({ length: 60 }, (_, index) => send(replay, { index, ...content() }))
  expect(countEach(await Promise.all(sent))).toEqual({ INVALID_BODY: 3, FORBIDDEN: 57 })
  expect(unpackings.total).toBe(3)
})

test('of 30 chunks of one index at once, the first alone is unpacked and stored', async () => {
  const replay = await newReplay(service, project)
  const chunk = { index: 0, ...packed(snapshotAt(replay.started_at)) }
  const sent = Array.from({ length: 30 }, () => send(replay, chunk))
  expect(countEach(await Promise.all(sent))).toEqual({ stored: 1, known: 29 })
  expect(unpackings.total).toBe(1)
})

test('of 40 chunks that a replay has no room for, three are unpacked', async () => {
  const replay = await newReplay(service, project)
  const text = Array.from({ length: 50_000 }, (_, i) => ((i * 2_654_435_761) >>> 0).toString(36)).join(' ')
  const large = packed([{ type: 3, timestamp: replay.started_at, data: { text } }])
  const sent = Array.from({ length: 40 }, (_, index) => send(replay, { index, ...large }))
  const { stored = 0, ...refused } = countEach(await Promise.all(sent))
  expect(stored).toBeGreaterThan(0)
  expect(refused).toEqual({ PAYLOAD_TOO_LARGE: 3, FORBIDDEN: 37 - stored })
  expect(unpackings.total).toBe(stored + 3)
})

test('chunks of many replays of a project are unpacked one after the other', async () => {
  const replays = await Promise.all(Array.from({ length: 10 }, () => newReplay(service, project)))
  const sent = replays.map(each => send(each, { index: 0, ...packed(snapshotAt(each.started_at)) }))
  expect(countEach(await Promise.all(sent))).toEqual({ stored: 10 })
  expect(unpackings).toMatchObject({ total: 10, most: 1 })
})

test('chunks of two projects are unpacked at the same time', async () => {
  const replays = [await newReplay(service, project), await newReplay(service, await service.createProject())]
  const sent = replays.map(each => send(each, { index: 0, ...packed(snapshotAt(each.started_at)) }))
  expect(countEach(await Promise.all(sent))).toEqual({ stored: 2 })
  expect(unpackings).toMatchObject({ total: 2, most: 2 })
})
