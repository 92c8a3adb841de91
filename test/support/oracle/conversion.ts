import { byCodePoint, byPosition, eventsOf, isInRange, type OracleRequest, ratioOf } from './common.ts'
import { propertyText } from './properties.ts'
import type { SentEvent } from './sent-event.ts'
import { sessionGroups, sessionText } from './session-groups.ts'
import { isTrait, traitText } from './traits.ts'

export type OracleConversion = {
  goal: string
  from?: string | undefined
  by: string
  min_users: number
  limit: number
}

const OF_SESSION = ['channel', 'referrer_host', 'exit_page', 'is_bounce']
const PROPERTIES: Record<string, string> = { source: 'utm_source', first_source: 'first_utm_source' }

type Sessions = ReturnType<typeof sessionGroups>

function groupOf(event: SentEvent, by: string, { traitsOf }: OracleRequest, sessions: Sessions) {
  if (isTrait(by)) return traitText(event, by, traitsOf)
  if (OF_SESSION.includes(by)) return sessionText(event, by, sessions)
  if (by !== 'entry_page') return propertyText(event, PROPERTIES[by] ?? by)
  const pages = [event.properties?.path, event.properties?.url]
  const page = pages.find(each => typeof each === 'string' && each !== '')
  return page === undefined ? null : String(page)
}

/**
 * The numbers of GET /conversion: a user starts with the first event, or the first `from`, and converts with
 * a goal after it.
 */
export function oracleConversion(
  events: readonly SentEvent[],
  request: OracleRequest,
  { goal, from, by, min_users, limit }: OracleConversion,
) {
  const own = eventsOf(events, request).filter(event => isInRange(event.timestamp, request))
  const ofSessions = sessionGroups(events, request)
  const users = [...Map.groupBy(own, event => event.user_id)].flatMap(([user, of]) => {
    const ordered = of.toSorted(byPosition)
    const start = ordered.findIndex(({ event }) => from === undefined || event === from)
    const first = ordered[start]
    if (user === null || first === undefined) return []
    const isConverted = ordered.slice(from === undefined ? 0 : start + 1).some(({ event }) => event === goal)
    return [{ value: groupOf(first, by, request, ofSessions), isConverted }]
  })
  const count = (of: typeof users) => {
    const converted = of.filter(({ isConverted }) => isConverted).length
    return { users: of.length, converted, rate: ratioOf(converted, of.length, 3) }
  }
  const groups = [...Map.groupBy(users, ({ value }) => value)]
    .flatMap(([value, of]) => (value === null ? [] : [{ value, of }]))
    .toSorted((a, b) => b.of.length - a.of.length || byCodePoint(a.value, b.value))
  const listed = groups.filter(({ of }) => of.length >= min_users).slice(0, limit)
  const others = groups.filter(group => !listed.includes(group)).flatMap(({ of }) => of)
  const missing = users.filter(({ value }) => value === null)
  return {
    ...count(users),
    values: listed.map(({ value, of }) => ({ value, ...count(of) })),
    ...(others.length > 0 && { other: count(others) }),
    ...(missing.length > 0 && { missing: count(missing) }),
  }
}
