import { type Limits, limitError } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import type { WrittenEvent } from './item.ts'
import { type Ok, ok, type Refuse, refuse } from './results.ts'

/**
 * Counts the request toward the limit of the project's token, and the events toward the caps of its account.
 * Refuses with RATE_LIMITED over a cap (R20).
 */
export function enforceEventCaps({ limits }: { limits: Pick<Limits, 'checkEvents' | 'checkToken'> }) {
  return ({ project, events }: { project: Project; events: readonly WrittenEvent[] }): Ok<void> | Refuse => {
    const state = limits.checkToken(project.id) ?? limits.checkEvents(project.account_id, events.length)
    const error = state === null ? null : limitError(state)
    return error === null ? ok(undefined) : refuse(error)
  }
}

/**
 * Counts an identify request toward the limit of the project's token. It adds no event, so the caps do not
 * hold for it.
 */
export function enforceTokenLimit({ limits }: { limits: Pick<Limits, 'checkToken'> }) {
  return ({ project }: { project: Project }): Ok<void> | Refuse => {
    const state = limits.checkToken(project.id)
    const error = state === null ? null : limitError(state)
    return error === null ? ok(undefined) : refuse(error)
  }
}
