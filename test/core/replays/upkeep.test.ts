import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayUsagePartition } from '#core/replays/item-keys'
import { createReplayUpkeep } from '#core/replays/upkeep'
import { REPLAY_LIMITS } from '#schemas/replays'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newFinishedReplay, newReplay } from '#test/support/replays'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

function openUpkeep(deleteDaysBefore: ((day: string) => Promise<void>) | null = null) {
  const clock = { now: service.now }
  return createReplayUpkeep({ ...service.state, ...service.replays, deleteDaysBefore, clock, log: () => {} })
}

/** As after a crash between the sums of an account and those of a day. */
async function addToSums(bytes: number): Promise<void> {
  await service.state.client.update({
    TableName: service.state.table,
    Key: { pk: replayUsagePartition(service.owner.id), sk: 'storage' },
    UpdateExpression: 'ADD held_bytes :bytes, committed_bytes :bytes',
    ExpressionAttributeValues: { ':bytes': bytes },
  })
}

test('the sums of an account are made anew once a day, without silent recorders and expired replays', async () => {
  const project = await service.createProject()
  await newFinishedReplay(service, project)
  await newReplay(service, project)
  const { quota } = service.replays
  const { committed } = await quota.read(service.owner)
  expect(await quota.read(service.owner)).toMatchObject({ reserved: REPLAY_LIMITS.max_bytes })
  await addToSums(1_000)
  service.wait(3 * 86_400_000)
  const upkeep = openUpkeep()
  await upkeep.tick()
  expect(await quota.read(service.owner)).toMatchObject({ committed, reserved: 0 })
  await addToSums(5)
  await upkeep.tick()
  // Another process knows that the day is done.
  await openUpkeep().tick()
  expect((await quota.read(service.owner)).committed).toBe(committed + 5)
  service.wait(REPLAY_LIMITS.retention_days * 86_400_000)
  await openUpkeep().tick()
  expect(await quota.read(service.owner)).toMatchObject({ committed: 0, reserved: 0 })
})

test('a tick stops after its time, and another process goes on after the last account', async () => {
  const own = await openHttpService()
  const ids = Array.from({ length: 450 }, (_, i) => `acc_${String(i).padStart(16, '0')}`)
  for (const account_id of ids) {
    const projects = account_id.endsWith('7') ? ['proj_a', 'proj_b'] : ['proj_a']
    for (const id of projects) await own.replays.settings.change({ id: id + account_id, account_id }, {})
  }
  const counted: string[] = []
  /** Each count takes 60 ms, so one page of accounts is all that a tick has time for. */
  async function countSlowly(account: string): Promise<boolean> {
    own.wait(60)
    counted.push(account)
    return true
  }
  const services = {
    ...own.state,
    ...own.replays,
    deleteDaysBefore: null,
    quota: { recount: countSlowly },
    clock: { now: own.now },
    log: () => {},
  }
  for (let process = 0; process < 3; process++) {
    expect(new Set(counted).size).toBeLessThan(450)
    await createReplayUpkeep(services).tick()
  }
  expect(counted.toSorted()).toEqual(ids)
  await createReplayUpkeep(services).tick()
  expect(counted).toHaveLength(450)
  await own.close()
})

test('objects of a replay go a day after the replay has expired', async () => {
  service.wait(86_400_000)
  const days: string[] = []
  const deleteDaysBefore = async (day: string) => void days.push(day)
  await openUpkeep(deleteDaysBefore).tick()
  const kept = REPLAY_LIMITS.retention_days + 1
  expect(days).toEqual([new Date(service.now() - kept * 86_400_000).toISOString().slice(0, 10)])
  await openUpkeep(deleteDaysBefore).tick()
  expect(days).toHaveLength(1)
})
