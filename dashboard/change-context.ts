import { type Answer, type Call, call } from '#dashboard/api'

export type Context = Answer<'GET /project-context'>['project_context']

/** What reads have of the context, so they are asked again after a change. */
export const READS_OF_CONTEXT = ['/project-context', '/stats', '/query'] as const

/**
 * Changes some lists of the version `etag` of the context. A PUT replaces all of them, so the others go with
 * it.
 */
export function changeContext(
  project: string,
  { context, etag }: { context: Context; etag: string },
  changes: Partial<Context>,
): Call<Answer<'PUT /project-context'>> {
  const { goals, activation_events, glossary, channels, annotations } = { ...context, ...changes }
  const lists = {
    goals,
    activation_events,
    glossary,
    annotations,
    ...(channels !== undefined && { channels }),
  }
  const put = call('PUT /project-context', { project, ...lists })
  return { ...put, ifMatch: etag }
}
