import { ApiError } from '#core/errors'
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
 * Names that change the number of some read (U77), with the names that do the same in others. A read that
 * knows none of them would answer with another number than the one that was asked.
 */
const DECISIVE: Readonly<Record<string, readonly string[]>> = {
  since: ['since', 'period'],
  date_from: ['date_from', 'since', 'period'],
  until: ['until'],
  date_to: ['date_to', 'until'],
  where: ['where'],
  filter: ['filter', 'filters', 'where'],
  filters: ['filters', 'where'],
  group_by: ['group_by', 'groupBy', 'by', 'property', 'breakdown'],
  groupBy: ['groupBy', 'group_by', 'by', 'property', 'breakdown'],
  compare: ['compare'],
}

/**
 * A sentence for each parameter and body field that the read does not know (U67): it was ignored, and the
 * caller may think that it was not. A field that is null counts as absent (R2). Throws MISSING_FIELDS for one
 * of DECISIVE.
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
  for (const name of parameters) refuseDecisive(route, 'parameter', name, inQuery, inBody)
  for (const name of fields) refuseDecisive(route, 'field', name, inBody, [])
  return [
    ...parameters.map(name => ignored(route, 'Parameter', name, inQuery)),
    ...fields.map(name => ignored(route, 'Field', name, inBody)),
  ].slice(0, MAX_IGNORED)
}

/** `elsewhere`: names that the read knows in the other part of the request. */
function refuseDecisive(
  { path, method }: Route,
  kind: 'parameter' | 'field',
  name: string,
  known: readonly string[],
  elsewhere: readonly string[],
): void {
  if (!Object.hasOwn(DECISIVE, name)) return
  const others = DECISIVE[name] ?? []
  const here = others.find(other => known.includes(other))
  const inBody = others.find(other => elsewhere.includes(other))
  const advice =
    here !== undefined
      ? `Send \`${here}\` instead.`
      : inBody !== undefined
        ? `Send \`${inBody}\` in the body.`
        : 'Leave it out; POST /query takes it.'
  throw new ApiError(
    'MISSING_FIELDS',
    `The ${kind} \`${name}\` would change the numbers, and ${method} ${path} does not read it here. ${advice}`,
  )
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
