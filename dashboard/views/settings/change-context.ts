import { type Answer, type Call, call } from '#dashboard/api'

export type Context = Answer<'GET /project-context'>['project_context']

/** What reads have of the context, so they are asked again after a change. */
export const READS_OF_CONTEXT = ['/project-context', '/stats', '/query'] as const

/** Changes some lists of the context. A PUT replaces all of them, so the others go with it. */
export function changeContext(
  project: string,
  context: Context,
  changes: Partial<Context>,
): Call<Answer<'PUT /project-context'>> {
  const { goals, activation_events, glossary, annotations } = { ...context, ...changes }
  return call('PUT /project-context', {
    ...{ project, goals, activation_events, glossary },
    annotations: annotations.map(({ occurred_at, title, note }) => ({
      ...{ occurred_at, title },
      ...(note != null && { note }),
    })),
  })
}
