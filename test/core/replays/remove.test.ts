import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { unavailable } from '#core/errors'
import { noLimits } from '#core/limits/limit-state'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import { objectsPrefix, type Replay } from '#core/replays/replay'
import { createReplayUploads } from '#core/replays/uploads'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newReplay, snapshotAt } from '#test/support/replays'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

let project: Project
let bytesBefore: { committed: number; reserved: number }
beforeEach(async () => {
  project = await service.createProject()
  bytesBefore = await storedBytes()
})

async function storedBytes() {
  const { committed, reserved } = await service.replays.quota.read(service.owner)
  return { committed, reserved }
}

/** A replay with one chunk, and `send`, which sends the chunk of an index. */
async function openRecording() {
  const { id, upload, started_at } = await newReplay(service, project)
  const send = (index: number, uploads = service.replays.uploads) =>
    uploads.addChunk(id, {
      ...{ ...upload, origin: undefined, index, events: snapshotAt(started_at) },
    })
  await send(0)
  return { id, send }
}

async function find(id: string): Promise<Replay> {
  return (await service.replays.replays.byId(id)) ?? expect.unreachable()
}

function objectsOf(id: string) {
  return service.replays.objects.list(objectsPrefix(id))
}

/** Replaces a method of the objects for one test. `around` gets the real one. */
function replaceMethod<Name extends 'put' | 'delete'>(
  name: Name,
  around: (real: Lake[Name]) => Lake[Name],
): () => void {
  const { objects } = service.replays
  const real = objects[name]
  objects[name] = around(real.bind(objects) as Lake[Name])
  const restore = () => {
    objects[name] = real
  }
  onTestFinished(restore)
  return restore
}

async function expectGone(id: string): Promise<void> {
  expect(await service.replays.replays.byId(id)).toBeNull()
  expect(await objectsOf(id)).toEqual([])
  expect(await storedBytes()).toEqual(bytesBefore)
}

test.each([
  ['a new chunk', 1],
  ['a stored chunk', 0],
])('%s that comes while a replay is deleted is refused, and leaves no bytes', async (_, index) => {
  const { id, send } = await openRecording()
  let refused: unknown
  const restore = replaceMethod('delete', real => async keys => {
    restore()
    await real(keys)
    refused = await send(index).catch(error => error)
  })
  const deleted = await service.call(routes.deleteReplay, { id })
  expect(deleted.status).toBe(200)
  expect(refused).toMatchObject({ code: 'NOT_FOUND' })
  await expectGone(id)
})

test('a copy of a stored chunk that was under way when a deletion began leaves no bytes', async () => {
  const { id, send } = await openRecording()
  const [listed, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const otherProcess = createReplayUploads({
    ...service.replays,
    projects: service.projects,
    accounts: service.accounts,
    starts: { count: async () => {} },
    limits: noLimits,
    clock: service,
  })
  let deletion: ReturnType<HttpService['call']> | undefined
  const restorePut = replaceMethod('put', real => async (key, bytes) => {
    restorePut()
    // The copy has found the replay, and has not yet written its object. A process takes the chunks of a
    // replay one after the other, so this one comes to another process.
    await send(1, otherProcess)
    const restoreDelete = replaceMethod('delete', realDelete => async keys => {
      restoreDelete()
      await realDelete(keys)
      listed.resolve()
      await sent.promise
    })
    deletion = service.call(routes.deleteReplay, { id })
    await listed.promise
    await real(key, bytes)
  })
  const copy = send(1).finally(sent.resolve)
  await expect(copy).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await deletion)?.status).toBe(200)
  await expectGone(id)
})

test('a deletion gives back also the bytes of a chunk that came after it had read the replay', async () => {
  const { id, send } = await openRecording()
  const replay = await find(id)
  await send(1)
  expect(await service.replays.removal.remove(replay)).toBe(true)
  await expectGone(id)
  expect(await service.replays.removal.remove(replay)).toBe(false)
  await expectGone(id)
})

test('a deletion that failed has stopped the recorder, and the same request again finishes it', async () => {
  const { id, send } = await openRecording()
  const restore = replaceMethod('delete', () => async () => {
    throw unavailable('The lake cannot be written now. Try again later.', 30)
  })
  expect((await service.call(routes.deleteReplay, { id })).status).toBe(503)
  restore()
  await expect(send(1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const { body } = await service.call(routes.listReplays, { query: { project: project.name } })
  expect(body.replays).toMatchObject([{ id }])
  expect((await service.call(routes.deleteReplay, { id })).status).toBe(200)
  await expectGone(id)
})

test('replays that began before a time are deleted with their bytes, and no later one', async () => {
  const old = await openRecording()
  service.wait(86_400_000)
  const bytes = await storedBytes()
  const young = await openRecording()
  const withYoung = await storedBytes()
  const { started_at } = await find(young.id)
  expect(await service.replays.removal.removeBefore(project.id, started_at)).toBe(true)
  expect(await service.replays.replays.byId(old.id)).toBeNull()
  expect(await objectsOf(old.id)).toEqual([])
  expect(await objectsOf(young.id)).toHaveLength(1)
  // What the old one had is free again.
  expect((await storedBytes()).committed).toBe(withYoung.committed - bytes.committed + bytesBefore.committed)
  expect(await service.replays.removal.removeBefore(project.id, started_at + 1)).toBe(true)
  await expectGone(young.id)
})
