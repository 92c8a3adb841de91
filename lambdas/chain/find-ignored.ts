import { quoted } from '#core/text/clean-text'
import type { JsonObject } from '#core/text/json-object'
import { nearestName } from '#core/text/nearest-name'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { Exchange } from './chain.ts'

/** A request gets at most so many warnings of this kind. */
const MAX_IGNORED = 10

/** What the chain reads from the query string of every route. */
const CHAIN_PARAMETERS = ['key', 'project']

/**
 * A sentence for each parameter and body field that the read does not know (U67): it was ignored, and the
 * caller may think that it was not. A field that is null counts as absent (R2).
 */
export function findIgnored({ route, request, json }: Exchange & { json: JsonObject }): string[] {
  if (route.options === undefined) return []
  const options = Object.keys(route.options.shape)
  const inQuery = [...namesOf(route.query), ...options, ...CHAIN_PARAMETERS]
  const inBody = [...namesOf(route.body), ...options, 'project']
  const parameters = Object.keys(request.query).filter(name => !inQuery.includes(name))
  const fields =
    route.body === undefined
      ? []
      : Object.keys(json).filter(name => json[name] !== null && !inBody.includes(name))
  return [
    ...parameters.map(name => ignored(route, 'Parameter', name, inQuery)),
    ...fields.map(name => ignored(route, 'Field', name, inBody)),
  ].slice(0, MAX_IGNORED)
}

function namesOf(schema: Route['query']): string[] {
  return schema !== undefined && 'shape' in schema ? Object.keys(schema.shape as object) : []
}

function ignored(
  { path, method }: Route,
  kind: 'Parameter' | 'Field',
  name: string,
  known: readonly string[],
): string {
  if (name === 'dry_run') {
    return `${kind} "dry_run" was ignored, and the read has run: ${method} ${path} has no dry run. ${DRY_RUNS} have one.`
  }
  const nearest = nearestName(name, known)
  const advice = nearest === null ? '' : ` Did you mean \`${nearest}\`?`
  return `${kind} ${quoted(name)} is unknown and was ignored.${advice}`
}

const DRY_RUNS = Object.values(routes as Record<string, Route>)
  .filter(({ options }) => options !== undefined && 'dry_run' in options.shape)
  .map(({ path }) => path)
  .join(', ')
