import type { z } from 'zod'
import { shortKey } from '#core/lake/consume/id-keys'
import { type LakeRead, withoutWhere } from '#core/lake/read/lake-read'
import { activity, hasUserKeys } from '#core/lake/read/relations'
import { isOneOf, sql } from '#core/sql/sql'
import type { EventRow } from '#schemas/event'
import type { eventsBody, journeyParams, journeyResponse, lookupResponse } from '#schemas/lookups'
import { type EventPage, type Member, type Order, readEvents } from './event-page.ts'
import { missingFields, pickEventFields } from './run/pick-event-fields.ts'
import { endOfStored } from './run/range.ts'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from './run/run.ts'
import type { ReadRows } from './run/statements.ts'

export type LookupParams = Omit<z.output<typeof eventsBody>, 'project'>
export type JourneyParams = Omit<z.output<typeof journeyParams>, 'project'>

type PersonParams = { user_id?: string | undefined; email?: string | undefined }
type PersonRequest<Params extends PersonParams> = ReportRequest<
  Params & { limit: number; before?: string | undefined; order?: Order | undefined }
>
type Profiles = z.input<typeof lookupResponse>['profiles']

/** POST /events and POST /events/lookup (docs/api/events.md): events of one person, newest first. */
export const eventsLookup = defineReport<LookupParams, z.input<typeof lookupResponse>>({
  range: sinceDays(7, { takesTimes: true }),
  async compute(rows, request) {
    const { page, profiles } = await readPerson(rows, request)
    const isJoined = request.identity.joinedProjects !== null
    return {
      ...toBody(request, page, page.events),
      profiles: isJoined ? profiles : profiles.map(({ project, ...profile }) => profile),
    }
  },
  namesOfEmpty: ({ event, fields }, { count, events }) =>
    count === 0 ? { events: [event] } : { properties: missingFields(events, fields) },
})

/**
 * GET and POST /journey, POST /journey/lookup (docs/api/events.md): the newest or oldest events of a person.
 */
export const journey = defineReport<JourneyParams, z.input<typeof journeyResponse>>({
  range: sinceDays(30, { takesTimes: true }),
  async compute(rows, request) {
    const { page, profiles } = await readPerson(rows, request)
    // The page of `asc` is oldest first already, and `desc` asks for the newest event first.
    const isInOrder = request.params.order !== undefined
    const sessionIds = [...new Set(page.events.flatMap(({ session_id }) => session_id ?? []))]
    const replays = await request.replays.countReplays(request.project.id, sessionIds)
    const replay_count = [...replays.values()].reduce((sum, count) => sum + count, 0)
    return {
      ...toBody(request, page, isInOrder ? page.events : page.events.toReversed()),
      profiles,
      has_replay: replay_count > 0,
      replay_count,
    }
  },
  namesOfEmpty: ({ fields }, { count, events }) =>
    count === 0 ? null : { properties: missingFields(events, fields) },
})

/** What the responses have of a page. `events` are those of the page, in the order of the response. */
function toBody(
  request: ReportRequest<LookupParams | JourneyParams>,
  { next }: EventPage,
  events: readonly EventRow[],
) {
  return {
    project: request.project.name,
    period: toPeriod(request),
    events: pickEventFields(events, request.params.fields),
    count: events.length,
    next_before: next,
    ...(next !== null && { truncated: true as const }),
  }
}

/**
 * The events and profiles of whom the request names: by any id of the person, or by e-mail address. In a
 * joined identity scope they come from all projects of the scope. An unknown address gives empty lists.
 */
async function readPerson<Params extends PersonParams>(
  rows: ReadRows,
  request: PersonRequest<Params>,
): Promise<{ page: EventPage; profiles: Profiles }> {
  const { project, params } = request
  const users = await findUsers(request)
  if (users !== null && users.length === 0) {
    return { page: { events: [], next: null }, profiles: [] }
  }
  const members = users === null ? [{ project, read: request.read }] : await openMembers(request)
  const page = await readEvents(rows, { params, users, members })
  // The first id of an id's list is the final one. Users found by e-mail address all have their final ids.
  const finals = params.user_id === undefined ? (users ?? []) : (users ?? []).slice(0, 1)
  const profiles = await Promise.all(finals.map(final => readProfiles(request, members, final, page.events)))
  const found = profiles.flat()
  if (found.length > 0 || params.user_id === undefined) return { page, profiles: found }
  // The person may have events outside the filters.
  return { page, profiles: await findStored(rows, request, users ?? []) }
}

/**
 * The profiles of a person without traits and without events that pass the filters: in each project that
 * knows an id of the person.
 */
async function findStored<Params extends PersonParams>(
  rows: ReadRows,
  request: PersonRequest<Params>,
  users: readonly string[],
): Promise<Profiles> {
  const { project, identity, readProject, now } = request
  const [final = ''] = users
  const allTime = { from: 0, to: endOfStored(now) }
  const projects = [project, ...(identity.joinedProjects ?? []).filter(({ id }) => id !== project.id)]
  const found = await Promise.all(
    projects.map(async (each): Promise<Profiles> => {
      const hasEvents = await hasEventsOf(rows, withoutWhere(await readProject(each, allTime)), users)
      return hasEvents ? [{ user_id: final, project: each.name }] : []
    }),
  )
  // Another id of the person was linked, so the person is known without events too.
  const isLinked = users.length > 1
  return found.flat().length === 0 && isLinked ? [{ user_id: final, project: project.name }] : found.flat()
}

/** Whether any event of all that is stored is of one of the users. */
async function hasEventsOf(rows: ReadRows, read: LakeRead, users: readonly string[]): Promise<boolean> {
  const refs = hasUserKeys(read) ? users.map(shortKey) : users
  const found = await rows(sql`SELECT event_count FROM ${activity(read)} AS activity
    WHERE ${isOneOf(sql`user_ref`, refs)} LIMIT 1`)
  return found.length > 0
}

/** The ids whose events are read; null if the request names nobody. */
async function findUsers<Params extends PersonParams>({
  params: { user_id, email },
  identity,
}: PersonRequest<Params>): Promise<readonly string[] | null> {
  if (user_id !== undefined) return identity.idsOf(user_id)
  return email === undefined ? null : identity.findByEmail(email)
}

/** The projects that the lookup covers, the requested one first. */
async function openMembers<Params extends PersonParams>({
  project,
  read,
  identity: { joinedProjects },
  readProject,
}: PersonRequest<Params>): Promise<Member[]> {
  const others = (joinedProjects ?? []).filter(({ id }) => id !== project.id)
  const reads = await Promise.all(others.map(other => readProject(other)))
  return [
    { project, read },
    ...others.map((other, i) => ({ project: other, read: reads[i] as Member['read'] })),
  ]
}

/** What each project knows about a user: traits, or only that there are events. */
async function readProfiles<Params extends PersonParams>(
  { project, params, identity }: PersonRequest<Params>,
  members: readonly Member[],
  final: string,
  events: readonly EventRow[],
): Promise<Profiles> {
  const profiles = await Promise.all(
    members.map(async (member): Promise<Profiles> => {
      const found = await identity.readTraits(member.project.id, final)
      const hasEvents = events.some(
        event => event.user_id === final && event.project_id === member.project.id,
      )
      if (found === null && !hasEvents) return []
      return [
        { user_id: final, project: member.project.name, ...(found !== null && { traits: found.traits }) },
      ]
    }),
  )
  const found = profiles.flat()
  // An address is known in the moment in which it is sent, before any event.
  return found.length === 0 && params.user_id === undefined
    ? [{ user_id: final, project: project.name }]
    : found
}
