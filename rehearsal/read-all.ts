import { createHash } from 'node:crypto'
import type { EventRow } from '#schemas/event'
import type { ProjectRecord } from '#schemas/projects'
import type { Deployment } from '#test/support/deployment'

/** What reads say of a project: all of its events, by a digest, and its stats. */
export type Reading = { project: string; events: number; digest: string; stats: unknown }

const AT_ONCE = 3
/** Projects with so many events have their stats read too: three statements each, which take Trino seconds here. */
const WITH_STATS = 20

/**
 * Reads all events that the account has, or those of some projects. Sorted by project; those without events are left
 * out.
 */
export async function readEverything(service: Deployment, only?: ReadonlySet<string>): Promise<Reading[]> {
  const { projects } = await service.answer<{ projects: ProjectRecord[] }>('/projects')
  const wanted = projects.filter(({ id, total_events }) => total_events > 0 && (only?.has(id) ?? true))
  const waiting = wanted.values()
  const readings: Reading[] = []
  async function work(): Promise<void> {
    for (const project of waiting) readings.push(await readProject(service, project))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return readings.toSorted((a, b) => (a.project < b.project ? -1 : 1))
}

async function readProject(service: Deployment, project: ProjectRecord): Promise<Reading> {
  const stored = await service.events(project, '30d')
  return {
    project: project.id,
    events: stored.length,
    digest: digest(stored),
    stats: stored.length < WITH_STATS ? null : await statsOf(service, project),
  }
}

/** Without the period, which moves with the clock. */
async function statsOf(service: Deployment, project: ProjectRecord): Promise<unknown> {
  const { totals, timeSeries, events, sessions, countries } = await service.stats(project, '30d')
  return { totals, timeSeries, events, sessions, countries }
}

function digest(events: readonly EventRow[]): string {
  const hash = createHash('sha256')
  for (const event of events) hash.update(JSON.stringify(event))
  return hash.digest('hex')
}
