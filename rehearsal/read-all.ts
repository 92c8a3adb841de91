import { createHash } from 'node:crypto'
import type { EventRow } from '#schemas/event'
import type { ProjectRecord } from '#schemas/projects'
import type { Deployment } from '#test/support/deployment'

/** The results of all reads of a project: the number and a digest of its events, and its stats. */
export type ReadResult = { project: string; events: number; digest: string; stats: unknown }

const CONCURRENCY = 3
/** Only projects with this many events have their stats read, because that takes Trino seconds. */
const MIN_EVENTS_FOR_STATS = 20

/**
 * Reads all projects of the account that have events, or only some of them. The results are sorted by project
 * id.
 */
export async function readAllProjects(
  service: Deployment,
  only?: ReadonlySet<string>,
): Promise<ReadResult[]> {
  const { projects } = await service.callJson<{ projects: ProjectRecord[] }>('/projects')
  const selectedProjects = projects.filter(
    ({ id, total_events }) => total_events > 0 && (only?.has(id) ?? true),
  )
  const queue = selectedProjects.values()
  const results: ReadResult[] = []
  async function runWorker(): Promise<void> {
    for (const project of queue) results.push(await readProject(service, project))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, runWorker))
  return results.toSorted((a, b) => (a.project < b.project ? -1 : 1))
}

async function readProject(service: Deployment, project: ProjectRecord): Promise<ReadResult> {
  const stored = await service.events(project, '30d')
  return {
    project: project.id,
    events: stored.length,
    digest: digest(stored),
    stats: stored.length < MIN_EVENTS_FOR_STATS ? null : await readStats(service, project),
  }
}

/** Reads the stats without the period, which changes with the clock. */
async function readStats(service: Deployment, project: ProjectRecord): Promise<unknown> {
  const { totals, timeSeries, events, sessions, countries } = await service.stats(project, '30d')
  return { totals, timeSeries, events, sessions, countries }
}

function digest(events: readonly EventRow[]): string {
  const hash = createHash('sha256')
  for (const event of events) hash.update(JSON.stringify(event))
  return hash.digest('hex')
}
