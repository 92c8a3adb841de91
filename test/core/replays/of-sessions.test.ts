import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { MAX_LISTED_REPLAYS } from '#core/replays/of-sessions'
import { replayIdOf } from '#core/replays/replay'
import { DAY_MS } from '#core/time'
import { REPLAY_LIMITS } from '#schemas/replays'
import { type HttpService, openHttpService } from '#test/support/http-service'

/** Which sessions have a replay that began in a range (docs/api/sessions.md, U141). */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

/**
 * A project in which replay is on, with a replay at each of these times before now, in ms, and its session.
 */
async function recordedProject(replays: readonly (readonly [session: string, before: number])[]) {
  const project = await service.createProject()
  await service.replays.settings.change(project, { enabled: true })
  await Promise.all(replays.map(([session, before], i) => newReplay(project, session, `start-${i}`, before)))
  return project
}

async function newReplay(project: Project, session_id: string, start_id: string, before: number) {
  const started_at = service.now() - before
  const { id: project_id, account_id } = project
  const id = replayIdOf(project_id, { session_id, start_id, started_at })
  const replay = { id, project_id, account_id, session_id, page: null, started_at, created_at: started_at }
  expect(await service.replays.replays.create({ ...replay, user_id: null })).toBe(true)
}

const rangeOf = (from: number, to: number) => ({ from: service.now() - from, to: service.now() - to })

test('a range has the sessions of the replays that began in it, each once, the newest first', async () => {
  const project = await recordedProject([
    ['newest', 0],
    ['twice', 1_000],
    ['twice', 3_000],
    ['first', 5_000],
    ['before', 5_001],
  ])
  const { ids, hasMore } = await service.replays.findRecorded(project.id, rangeOf(5_000, -1))
  expect([ids, hasMore]).toEqual([['newest', 'twice', 'first'], false])
  const ended = await service.replays.findRecorded(project.id, rangeOf(5_000, 1_000))
  expect(ended.ids).toEqual(['twice', 'first'])
})

test('an expired replay does not count, and a project that never recorded has none', async () => {
  const { retention_days } = REPLAY_LIMITS
  const project = await recordedProject([
    ['expired', retention_days * DAY_MS],
    ['readable', retention_days * DAY_MS - 1],
  ])
  const year = rangeOf(365 * DAY_MS, 0)
  expect((await service.replays.findRecorded(project.id, year)).ids).toEqual(['readable'])
  const off = await service.createProject()
  expect((await service.replays.findRecorded(off.id, year)).ids).toEqual([])
})

test('of more replays than a list has the newest count, and when the oldest of these began is told', async () => {
  const project = await recordedProject(
    Array.from({ length: MAX_LISTED_REPLAYS + 2 }, (_, i) => [`s${i}`, i * 1_000] as const),
  )
  const all = rangeOf(DAY_MS, -1)
  const found = await service.replays.findRecorded(project.id, all)
  expect([found.ids.length, found.ids[0], found.ids.at(-1)]).toEqual([1_000, 's0', 's999'])
  expect([found.since, found.hasMore]).toEqual([service.now() - 999_000, true])
  const older = await service.replays.findRecorded(project.id, { from: all.from, to: found.since })
  expect([older.ids, older.hasMore]).toEqual([['s1000', 's1001'], false])
})
