import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '#rehearsal/world'
import type { NewProject } from '#test/support/deployment'
import { type Check, expectEqual } from './check.ts'

/** An erasure waits for the next epoch, and then 20 minutes for jobs that began before it. */
const TIMEOUT_MS = 30 * 60_000
/** For what is seen within seconds on a free machine. */
const WAIT_MS = 120_000
const EMAIL = 'ada@example.com'

/** A project with one user left, and the erasure of the other. */
export type ErasedPerson = { project: NewProject; erasureId: string }

/**
 * Checks three things: GET /live shows new events, POST /identify joins two ids of a user, and an erasure
 * hides the events of the user at once. `note` gets the erasure, for `erasureDone`.
 */
export const livePersonErased = (note: (erased: ErasedPerson) => void): Check => ({
  name: 'GET /live sees new events, identify joins two ids to one person, and an erasure hides the person',
  async act({ service, patience }) {
    const { call, callJson } = service
    const project = await service.createProject('person')
    const token = project.project_token
    await service.send(project, [
      { event: 'page_view', user_id: 'anon_ada00001', session_id: 's1' },
      { event: 'signup', user_id: 'ada', session_id: 's1' },
      { event: 'page_view', user_id: 'bob', session_id: 's2' },
    ])
    const identify = {
      token,
      previous_id: 'anon_ada00001',
      user_id: 'ada',
      traits: { email: EMAIL, plan: 'pro' },
    }
    const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0' }
    expectEqual((await call('/identify', { body: identify, headers })).status, 202, 'status of /identify')
    const live = await waitForLive()

    async function waitForLive(): Promise<number> {
      for (const startMs = Date.now(); ; await sleep(250)) {
        const body = await callJson<{ active_visitors: number }>(`/live?project=${project.id}&window=300`)
        if (body.active_visitors > 0) return Date.now() - startMs
        if (Date.now() - startMs > WAIT_MS * patience) throw new Error('GET /live did not see the events.')
      }
    }

    return async () => {
      await service.waitForEvents(project, 3)
      const people = async () => (await service.stats(project)).totals.unique_users
      for (const deadline = Date.now() + WAIT_MS * patience; (await people()) !== 2; await sleep(1_000)) {
        if (Date.now() > deadline) throw new Error('The two ids of a person still count as two users.')
      }
      const found = await callJson<{ profiles: { user_id: string }[] }>('/events/lookup', {
        body: { project: project.id, email: ` ${EMAIL.toUpperCase()}` },
      })
      expectEqual([found.profiles[0]?.user_id], ['ada'], 'the user with the e-mail address')

      const erased = await call(`/users/ada?project=${project.id}`, { method: 'DELETE' })
      expectEqual(erased.status, 202, 'status of the erasure')
      const { erasure_id } = (await erased.json()) as { erasure_id: string }
      const left = await service.events(project)
      expectEqual(
        left.map(({ user_id }) => user_id),
        ['bob'],
        'users after the erasure',
      )
      expectEqual(await people(), 1, 'users after the erasure')
      note({ project, erasureId: erasure_id })
      return `live after ${live} ms`
    }
  },
})

/** Waits for half an hour, beside other checks, until no file has the events of the person any more. */
export async function erasureDone(
  { service, patience }: World,
  { project, erasureId }: ErasedPerson,
): Promise<string> {
  const startMs = Date.now()
  for (; ; await sleep(5_000)) {
    // Other checks take all executions meanwhile, so a call may fail.
    const response = await service.call(`/erasures/${erasureId}`)
    const receipt = await response.text()
    if (response.ok && (JSON.parse(receipt) as { status: string }).status === 'done') break
    if (Date.now() > startMs + TIMEOUT_MS * patience) throw new Error(`The erasure is late: ${receipt}`)
  }
  const left = (await service.events(project)).map(({ user_id }) => user_id)
  expectEqual(left, ['bob'], 'users after the erasure')
  return 'its receipt says done'
}
