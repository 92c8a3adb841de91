import type { Route } from '#schemas/route'
import { type RouteName, routes } from '#schemas/routes'
import type { Scope } from '#schemas/scopes'

/** The scope that a call of the row needs. */
export function scopeOfRow(name: RouteName): Scope {
  const { scope = 'projects:write' }: Route = routes[name]
  return typeof scope === 'string' ? scope : scope[0]
}
