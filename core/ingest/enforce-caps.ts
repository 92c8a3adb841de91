import { type Limits, limitError } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import type { WrittenEvent } from './item.ts'
import { type Ok, ok, type Refuse, refuse } from './results.ts'

/** Counts the events toward the caps of the project's account. Refuses with RATE_LIMITED over a cap (R20). */
export function enforceEventCaps({ limits }: { limits: Pick<Limits, 'checkEvents'> }) {
  return ({ project, events }: { project: Project; events: readonly WrittenEvent[] }): Ok<void> | Refuse => {
    const state = limits.checkEvents(project.account_id, events.length)
    const error = state === null ? null : limitError(state)
    return error === null ? ok(undefined) : refuse(error, 'limit')
  }
}

/**
 * Counts the request toward the limit of the project's token. It comes before whatever a request costs beside
 * its own answer, so it holds for bots and for requests that are refused later, too.
 */
export function enforceTokenLimit({ limits }: { limits: Pick<Limits, 'checkToken'> }) {
  return ({ project }: { project: Project }): Ok<void> | Refuse => {
    const state = limits.checkToken(project.id)
    const error = state === null ? null : limitError(state)
    return error === null ? ok(undefined) : refuse(error, 'limit')
  }
}
