import { createHash } from 'node:crypto'
import type { EventRow } from '#schemas/event'
import type { ProjectRecord } from '#schemas/projects'
import type { Deployment, NewProject } from '#test/support/deployment'

/** What reads say of a project: the stats whole, and the events by a digest. */
export type Reading = { project: string; stats: unknown; events: number; digest: string }

const AT_ONCE = 3

/** Reads all that the account has, but for the projects without events. Sorted by project. */
export async function readEverything(service: Deployment): Promise<Reading[]> {
  const { projects } = await service.answer<{ projects: ProjectRecord[] }>('/projects')
  const waiting = projects.filter(({ total_events }) => total_events > 0).values()
  const readings: Reading[] = []
  async function work(): Promise<void> {
    for (const project of waiting) readings.push(await readProject(service, project as NewProject))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return readings.toSorted((a, b) => (a.project < b.project ? -1 : 1))
}

async function readProject(service: Deployment, project: NewProject): Promise<Reading> {
  const { totals, timeSeries, events, sessions, countries } = await service.stats(project, '30d')
  const stored = await service.untilStored(project, totals.total_events, '30d')
  return {
    project: project.id,
    stats: { totals, timeSeries, events, sessions, countries },
    events: stored.length,
    digest: digest(stored),
  }
}

function digest(events: readonly EventRow[]): string {
  const hash = createHash('sha256')
  for (const event of events) hash.update(JSON.stringify(event))
  return hash.digest('hex')
}
