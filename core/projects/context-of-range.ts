import { DAY_MS, parseIsoTime } from '#core/time'
import type { ProjectContext } from '#schemas/contexts'

/** The days of a response: from the start of the first to the end of the last, Unix ms. */
export type ResponseDays = { start: number; end: number }

/** The first moment of the annotations of a response, Unix ms: a day before its first day. */
export function firstAnnotation({ start }: Pick<ResponseDays, 'start'>): number {
  return start - DAY_MS
}

/**
 * The field `project_context` of an analytics response (R16). Its annotations are those from a day before the
 * first day of the response to a day after the last one. There is no field if the four lists are empty.
 */
export function contextOfRange(
  context: ProjectContext,
  days: ResponseDays,
): { project_context?: ProjectContext } {
  const [start, end] = [firstAnnotation(days), days.end + DAY_MS]
  const annotations = context.annotations.filter(({ occurred_at }) => {
    const at = parseIsoTime(occurred_at)
    return at >= start && at < end
  })
  const lists = { ...context, annotations }
  return Object.values(lists).every(list => list.length === 0) ? {} : { project_context: lists }
}
