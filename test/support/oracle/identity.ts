import type { SentEvent } from './sent-event.ts'

/** One identify request with two different ids. The requests are in order of arrival. */
export type SentLink = { project_id: string; previous_id: string; user_id: string }

/**
 * Rewrites events as docs/api/identity.md says it: each identify request gives all ids that stand for
 * `previous_id` the id that
 * `user_id` stands for. It is ignored if the id was mapped before (U45), or if it would map an id to itself.
 * `scopeOf`: projects with equal scopes share their ids.
 */
export function oracleIdentity(links: readonly SentLink[], scopeOf: (projectId: string) => string) {
  const scopes = new Map<string, { mapped: Set<string>; current: Map<string, string> }>()
  const currentOf = (scope: string, id: string) => scopes.get(scope)?.current.get(id) ?? id

  for (const { project_id, previous_id, user_id } of links) {
    const name = scopeOf(project_id)
    const scope = scopes.get(name) ?? { mapped: new Set(), current: new Map() }
    scopes.set(name, scope)
    const target = currentOf(name, user_id)
    if (scope.mapped.has(previous_id) || target === previous_id) continue
    scope.mapped.add(previous_id)
    scope.current.set(previous_id, target)
    for (const [id, current] of scope.current) if (current === previous_id) scope.current.set(id, target)
  }

  const finalId = (projectId: string, id: string) => currentOf(scopeOf(projectId), id)
  return {
    finalId,
    rewrite: (events: readonly SentEvent[]): SentEvent[] =>
      events.map(event => ({
        ...event,
        user_id: event.user_id === null ? null : finalId(event.project_id, event.user_id),
      })),
  }
}
