import { afterAll, beforeAll, expect, test } from 'vitest'
import { createReplayUpkeep } from '#core/replays/upkeep'
import { REPLAY_LIMITS } from '#schemas/replays'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newFinishedReplay, newReplay } from '#test/support/replays'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

function openUpkeep() {
  const clock = { now: service.now }
  return createReplayUpkeep({ ...service.replays, clock, log: () => {} })
}

test('the bytes of an account are counted anew once a day, without those of silent recorders', async () => {
  const project = await service.createProject()
  await newFinishedReplay(service, project)
  await newReplay(service, project)
  const { committed } = await service.replays.quota.read(service.owner)
  expect(await service.replays.quota.read(service.owner)).toMatchObject({ reserved: REPLAY_LIMITS.max_bytes })
  // As after a crash between a chunk and its count.
  await service.replays.quota.commit(service.owner.id, 1_000, true)
  service.wait(31 * 60_000)
  const upkeep = openUpkeep()
  await upkeep.tick()
  expect(await service.replays.quota.read(service.owner)).toMatchObject({ committed, reserved: 0 })
  await service.replays.quota.commit(service.owner.id, 5, true)
  await upkeep.tick()
  expect((await service.replays.quota.read(service.owner)).committed).toBe(committed + 5)
})

test('objects of a replay go a day after the replay has expired, and no others', async () => {
  const project = await service.createProject()
  const old = await newFinishedReplay(service, project)
  service.wait(REPLAY_LIMITS.retention_days * 86_400_000)
  const young = await newFinishedReplay(service, project)
  await openUpkeep().tick()
  const keysOf = async ({ id }: { id: string }) =>
    (await service.replays.objects.list('replays/')).filter(({ key }) => key.includes(id))
  expect(await keysOf(old)).toHaveLength(1)
  service.wait(2 * 86_400_000)
  await openUpkeep().tick()
  expect(await keysOf(old)).toEqual([])
  expect(await keysOf(young)).toHaveLength(1)
})
