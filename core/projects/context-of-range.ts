import { DAY_MS } from '#core/time'
import type { ProjectContext } from '#schemas/contexts'

/**
 * The project context as an analytics response carries it (contract R16): its annotations are those from a day before the
 * range to a day after it. Null: the four lists are empty, so the response has no context. The bounds are dates.
 */
export function contextOfRange(
  context: ProjectContext,
  { from, to }: { from: string; to: string },
): ProjectContext | null {
  const [start, end] = [Date.parse(from) - DAY_MS, Date.parse(to) + 2 * DAY_MS]
  const annotations = context.annotations.filter(({ occurred_at }) => {
    const at = Date.parse(occurred_at)
    return at >= start && at < end
  })
  const lists = { ...context, annotations }
  return Object.values(lists).every(list => list.length === 0) ? null : lists
}
