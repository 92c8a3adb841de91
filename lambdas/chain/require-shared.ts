import type { Caller } from '#core/accounts/caller'
import { ApiError } from '#core/errors'
import type { JsonObject } from '#core/json-object'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { SHARED_VIEWS } from '#schemas/share-links'
import type { Exchange } from './chain.ts'

/** Fields of requests that ask for one person or one session, or list them, or show statements. */
const PERSONAL = /^(user_id|session_id|email|sql|people\w*)$/
const PERSONAL_GROUPS = new Set(['user_id', 'session_id'])

/**
 * Lets a share link read the reports of its views and nothing else: no other route, and no field by which a
 * report would tell something about one person (docs/api/dashboard.md). Other credentials pass. Throws
 * FORBIDDEN.
 */
export function requireShared(call: Exchange & { caller: Caller; json: JsonObject }): void {
  const { route, caller, request, json } = call
  if (caller.shared === undefined) return
  const isShown = caller.shared.link.views.some(view => ROUTES.get(view)?.has(route))
  if (!isShown)
    throw new ApiError('FORBIDDEN', 'This link does not show that. Ask its owner for another one.')
  const fields = { ...request.query, ...json }
  if (Object.keys(fields).some(name => PERSONAL.test(name)) || isPersonal(fields)) {
    throw new ApiError(
      'FORBIDDEN',
      'A share link shows no people, sessions and statements. Leave out the fields that ask for them.',
    )
  }
}

const ROUTES = new Map(
  Object.entries(SHARED_VIEWS).map(([view, names]) => [
    view,
    new Set<Route>(names.map(name => routes[name])),
  ]),
)

/** Whether the report would have a row for each person or session, or only their events. */
function isPersonal({ group_by, filters }: JsonObject): boolean {
  const groups = [group_by ?? []].flat().flatMap(each => String(each).split(','))
  const filtered = [filters ?? []].flat().map(each => String((each as JsonObject | null)?.field ?? ''))
  return [...groups, ...filtered].some(name => PERSONAL_GROUPS.has(name.trim()))
}
