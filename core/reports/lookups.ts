import type { z } from 'zod'
import type { eventsBody, journeyParams, journeyResponse, lookupResponse } from '#schemas/lookups'
import { readEvents } from './events.ts'
import { defineReport, type ReportRequest, sinceDays } from './run.ts'
import type { ReadRows } from './statements.ts'

export type LookupParams = Omit<z.output<typeof eventsBody>, 'project'>
export type JourneyParams = Omit<z.output<typeof journeyParams>, 'project'>

/** POST /events and POST /events/lookup (contract 1.3): events of one person, newest first. */
export const eventsLookup = defineReport<LookupParams, z.input<typeof lookupResponse>>({
  range: sinceDays(7),
  async compute(rows, request) {
    const { project, params } = request
    if (isUnknownEmail(params)) {
      return { project: project.name, events: [], count: 0, next_before: null, profiles: [] }
    }
    const page = await readEvents(rows, request)
    const { user_id } = params
    return { ...page, profiles: user_id === undefined || page.count === 0 ? [] : [{ user_id }] }
  },
})

/** GET and POST /journey, POST /journey/lookup (contract 1.3): the newest events of a person, oldest first. */
export const journey = defineReport<JourneyParams, z.input<typeof journeyResponse>>({
  range: sinceDays(30),
  compute: readJourney,
})

async function readJourney(
  rows: ReadRows,
  request: ReportRequest<JourneyParams>,
): Promise<z.input<typeof journeyResponse>> {
  const { project, params } = request
  if (isUnknownEmail(params)) return { project: project.name, profiles: [], events: [], count: 0 }
  const { events, count, next_before } = await readEvents(rows, request)
  const { user_id } = params
  return {
    project: project.name,
    profiles: user_id === undefined || count === 0 ? [] : [{ user_id, project: project.name }],
    events: events.toReversed(),
    count,
    ...(next_before !== null && { truncated: true as const }),
  }
}

/** No e-mail address is known until projects can send identities. */
function isUnknownEmail({
  user_id,
  email,
}: {
  user_id?: string | undefined
  email?: string | undefined
}): boolean {
  return user_id === undefined && email !== undefined
}
