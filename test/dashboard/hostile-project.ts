import { expect } from 'vitest'
import { eventually } from '#test/support/eventually'
import type { OwnerCalls } from './owner-calls.ts'
import { HOSTILE } from './reader.ts'

const OWN_NAMES = ['event', 'user', 'goal', 'step', 'path', 'by', 'breakdown', 'prop', 'who_is', 'q']

/** The query of an address whose every value is hostile. */
export const OWN_HOSTILE = new URLSearchParams([
  ['range', '1d'],
  ...OWN_NAMES.map(name => [name, HOSTILE]),
  ['session', 'hostile-1'],
  ['f', `event:eq:${HOSTILE}`],
]).toString()

/** Creates a project whose every text of visitors is hostile, and returns its name. */
export async function makeHostileProject({ get, post }: OwnerCalls): Promise<string> {
  const name = `hostile-text-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await post<{ project_token: string }>('/projects', { name }, 201)
  const keys = ['path', 'title', 'hostname', 'referrer', 'device', 'browser', 'os', 'language', 'utm_source']
  const properties = Object.fromEntries(keys.map(key => [key, HOSTILE]))
  for (const event of ['page_view', HOSTILE]) {
    for (const session_id of ['hostile-1', HOSTILE]) {
      await post('/track', { token, event, user_id: HOSTILE, session_id, properties }, 202)
    }
  }
  await post(`/projects/${name}/views`, { name: HOSTILE, query: 'view=overview' }, 201)
  await eventually(async () => {
    const path = `/stats?project=${name}&since=0d`
    const { totals } = await get<{ totals: { total_events: number } }>(path)
    expect(totals.total_events).toBe(4)
  })
  return name
}
