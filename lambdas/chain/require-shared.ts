import type { Caller } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { JsonObject } from '#core/text/json-object'
import { CONVERSION_SESSION_FIELDS } from '#schemas/conversion'
import { oneField, oneSpelling, prefixedKey } from '#schemas/property-names'
import { DERIVED_GROUPS, SESSION_GROUPS } from '#schemas/query'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { SHARED_VIEWS } from '#schemas/share-links'
import type { Exchange } from './chain.ts'

/** Fields of requests that ask for one person or one session, or list them, or show statements. */
const PERSONAL = /^(user_id|session_id|email|sql|people\w*)$/
const PERSONAL_GROUPS = new Set(['user_id', 'session_id'])
const TIMES_OF_DAY = new Set(['timestamp', 'hour', 'weekday'])
/** Fields of sessions and people by which POST /query filters. */
const JOINED_FIELDS = new Set<string>([...SESSION_GROUPS, 'duration', 'is_new'])
/** Fields that bound the range of a read. */
const RANGE_FIELDS = ['since', 'until', 'date_from', 'date_to']
/** Each more doubles the groups that core/reports/few-people/whole-groups.ts counts to judge a question. */
const MAX_FILTERED_FIELDS = 3
/** What may be the value of a single event, however many people are in the group. */
const SINGLE_VALUE = /^(min|max|p\d\d|unique|rate|session_rate|people|sessions)\(/

/**
 * Lets a share link read the reports of its views and nothing else: no other route, and no field by which a
 * report would tell something about one person or one event (docs/api/dashboard.md). What it then shows is up
 * to core/reports/few-people. Other credentials pass. Throws FORBIDDEN.
 */
export function requireShared(call: Exchange & { caller: Caller; json: JsonObject }): void {
  const { route, caller, request, json } = call
  if (caller.shared === undefined) return
  const isShown = caller.shared.link.views.some(view => ROUTES.get(view)?.has(route))
  if (!isShown)
    throw new ApiError('FORBIDDEN', 'This link does not show that. Ask its owner for another one.')
  const fields = { ...request.query, ...json }
  for (const [isAsked, refusal] of REFUSED) if (isAsked(fields)) throw refusal()
  // Another zone moves the midnights, so a range of dates would be one of hours.
  const zone = caller.shared.project.timezone ?? 'UTC'
  if (fields.tz !== undefined && fields.tz !== zone)
    throw new ApiError(
      'FORBIDDEN',
      `A share link counts in the time zone of its project, ${zone}. Leave out \`tz\`.`,
    )
}

const ROUTES = new Map(
  Object.entries(SHARED_VIEWS).map(([view, names]) => [
    view,
    new Set<Route>(names.map(name => routes[name])),
  ]),
)

/** What a link must not ask, with the error that says what to ask instead. */
const REFUSED: [isAsked: (fields: JsonObject) => boolean, refusal: () => ApiError][] = [
  [
    fields =>
      Object.keys(fields).some(name => PERSONAL.test(name)) ||
      [...groupsOf(fields), ...filteredFields(fields)].some(name => PERSONAL_GROUPS.has(name)) ||
      fields.count_by === 'session_id',
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link shows no people, sessions and statements. Leave out the fields that ask for them.',
      ),
  ],
  [
    ({ where, filter }) => where !== undefined || filter !== undefined,
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link takes no `where` and no `filter`. Leave them out; POST /query and POST /funnel have filters of their own.',
      ),
  ],
  [
    fields => operatorsOf(fields).includes('exists'),
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link does not filter by whether a field is there. Use another operator than `exists`.',
      ),
  ],
  [
    fields =>
      filteredFields(fields).some(name => TIMES_OF_DAY.has(name)) ||
      RANGE_FIELDS.some(name => typeof fields[name] === 'string' && fields[name].includes('T')),
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link shows whole dates. Name dates such as `2026-11-01`, and leave out filters by `timestamp`, `hour` and `weekday`.',
      ),
  ],
  [
    fields =>
      [filteredFields(fields), ...keysOfSteps(fields)].some(
        names => new Set(names).size > MAX_FILTERED_FIELDS,
      ),
    () =>
      new ApiError(
        'FORBIDDEN',
        `A share link filters by ${MAX_FILTERED_FIELDS} fields at most. Leave out the filters of the other fields.`,
      ),
  ],
  [
    fields => groupsOf(fields).filter(name => name !== 'date').length > 1,
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link groups by one field and `date` at most. Leave out the other fields of `group_by`.',
      ),
  ],
  [
    ({ group_by, by, breakdown }) =>
      groupsOf({ group_by }).some(name => DERIVED_GROUPS.includes(name)) ||
      groupsOf({ group_by, by, breakdown }).some(isOfTraits) ||
      SESSION_GROUPS.some(name => name === breakdown) ||
      CONVERSION_SESSION_FIELDS.some(name => name === by),
    () =>
      new ApiError(
        'FORBIDDEN',
        `A share link groups by fields and properties of events. Leave out ${DERIVED_GROUPS.join(', ')} and traits.`,
      ),
  ],
  [
    fields => filteredFields(fields).some(name => JOINED_FIELDS.has(name) || isOfTraits(name)),
    () =>
      new ApiError(
        'FORBIDDEN',
        `A share link filters by fields and properties of events. Leave out ${[...JOINED_FIELDS].join(', ')} and traits.`,
      ),
  ],
  [
    ({ metrics }) => [metrics ?? []].flat().some(name => SINGLE_VALUE.test(String(name).trim())),
    () =>
      new ApiError(
        'FORBIDDEN',
        'A share link shows no value of a single event. Use `sum` or `avg` instead of `min`, `max`, percentiles, `unique` and rates.',
      ),
  ],
]

/**
 * The names, each once, by which a report makes groups: of /query, of a breakdown, a conversion and a funnel.
 */
function groupsOf({ group_by, property, by, breakdown }: JsonObject): string[] {
  const names = [group_by, property, by, breakdown]
    .flatMap(each => [each ?? []].flat())
    // A key in quotes may have commas.
    .flatMap(each => (prefixedKey(String(each)) === undefined ? String(each).split(',') : [String(each)]))
  return [...new Set(names.map(name => oneField(name.trim())))]
}

/** Also for a name that is cut in its quotes. */
function isOfTraits(name: string): boolean {
  return /^traits[.[]/.test(name)
}

function filteredFields({ filters }: JsonObject): string[] {
  return [filters ?? []].flat().map(each => oneField(String((each as JsonObject | null)?.field ?? '').trim()))
}

/** The operators of all filters, those of steps too. */
function operatorsOf({ filters, steps }: JsonObject): string[] {
  const ofSteps = [steps ?? []].flat().flatMap(step => [(step as JsonObject | null)?.filters ?? []].flat())
  return [...[filters ?? []].flat(), ...ofSteps].map(each => String((each as JsonObject | null)?.op ?? ''))
}

/** Of each step of a funnel, the keys of its filters. */
function keysOfSteps({ steps }: JsonObject): string[][] {
  return [steps ?? []].flat().map(step =>
    [(step as JsonObject | null)?.filters ?? []].flat().map(each => {
      const { property, field } = (each ?? {}) as JsonObject
      return oneSpelling(String(property ?? field ?? '').trim())
    }),
  )
}
