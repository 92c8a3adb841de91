import type { ProjectEvents, UsageCounters } from './counters.ts'
import type { ReadFoldedEvents } from './folded-events.ts'

export type RecountServices = {
  usage: Pick<UsageCounters, 'foldEpoch'>
  readFoldedEvents: ReadFoldedEvents
}

/**
 * Makes the folded counts of projects in a bucket equal to the events that its segments store up to `epoch`, without open
 * counts. `projects` are all projects that may have either. It folds the differences, so it may be repeated.
 */
export async function recountEvents(
  { usage, readFoldedEvents }: RecountServices,
  { epoch, bucket }: { epoch: number; bucket: number },
  projects: readonly Pick<ProjectEvents, 'project_id' | 'account_id'>[],
  stored: readonly Omit<ProjectEvents, 'account_id'>[],
): Promise<void> {
  const storedOfProject = Map.groupBy(stored, count => count.project_id)
  const differences: ProjectEvents[] = []
  for (const { project_id, account_id } of projects) {
    const days = new Map<string, number>()
    for (const [day, events] of await readFoldedEvents(project_id)) days.set(day, -events)
    for (const { day, events } of storedOfProject.get(project_id) ?? []) {
      days.set(day, (days.get(day) ?? 0) + events)
    }
    // A day without a difference counts too: it raises the epoch of its items.
    for (const [day, events] of days) differences.push({ project_id, account_id, day, events })
  }
  await usage.foldEpoch(epoch, bucket, differences)
}
