import { ApiError } from '#core/errors'
import { accept } from '#core/ingest/accept'
import type { BotClassifier } from '#core/ingest/bots'
import { countryOf } from '#core/ingest/country'
import type { ArrivalOrder } from '#core/ingest/ids'
import { packRecord } from '#core/ingest/record'
import { parseBatch, parseEvent, type TrackRequest, unknownTokenError } from '#core/ingest/track-request'
import type { Clock, EventStream, Log } from '#core/ports'
import { isAllowedOrigin } from '#core/projects/origins'
import type { Project, ProjectDirectory } from '#core/projects/project'
import type { HttpFunction, HttpRequest } from '../http.ts'
import { httpFunction } from '../http-function.ts'
import { jsonBody } from '../json-body.ts'
import { jsonResponse } from '../response.ts'

export type TrackServices = {
  stream: Pick<EventStream, 'append'>
  projects: Pick<ProjectDirectory, 'byToken'>
  /** The country table: two letters, or null. */
  country(ip: string): string | null
  /** Lower-case name of the header in which a proxy tells the sender's country, or null. */
  countryHeader: string | null
  bots: BotClassifier
  /** The account of a good API key that the request carries; null without one, and for a bad one. */
  accountOfKey(request: HttpRequest): Promise<string | null>
  clock: Clock
  ids: ArrivalOrder
  log: Log
}

const QUEUED = jsonResponse(202, { ok: true, queued: true })

/**
 * POST /track and POST /track/batch. The order of checks is contract 1.1's: body, container and size of the batch,
 * one token, token lookup, origin, bot, items. The answer 202 comes when the stream has the records on disk.
 */
export function trackHandler(services: TrackServices): HttpFunction {
  return httpFunction<'track'>(services.log, {
    async track(request) {
      await store(services, parseEvent(jsonBody(request.body)), request)
      return QUEUED
    },
    async trackBatch(request) {
      const delivery = parseBatch(jsonBody(request.body))
      await store(services, delivery, request)
      // The number of events that were sent, retries of stored ones included.
      return jsonResponse(202, { ok: true, queued: true, count: delivery.items.length })
    },
  })
}

async function store(services: TrackServices, delivery: TrackRequest, request: HttpRequest): Promise<void> {
  const project = await findProject(services, delivery)
  checkOrigin(project, request)
  const records =
    (await countBot(services, delivery, project, request)) ?? keepEvents(services, delivery, project, request)
  await services.stream.append(records)
}

async function findProject({ projects }: TrackServices, { token }: TrackRequest): Promise<Project> {
  const project = await projects.byToken(token)
  if (project === null) throw unknownTokenError()
  return project
}

/** Only browsers send an Origin; a server that sends none may track (contract 1.1). */
function checkOrigin(project: Project, { headers: { origin } }: HttpRequest): void {
  if (origin !== undefined && !isAllowedOrigin(project, origin)) {
    throw new ApiError('FORBIDDEN', 'this origin is not among the allowed origins of the project')
  }
}

/** The record that counts a bot's call; null for a human, and for the project's own account with its key. */
async function countBot(
  { bots, accountOfKey, clock }: TrackServices,
  delivery: TrackRequest,
  project: Project,
  request: HttpRequest,
): Promise<Uint8Array[] | null> {
  const bot = bots(request.headers['user-agent'])
  if (bot === null || (await accountOfKey(request)) === project.account_id) return null
  const { id: project_id, account_id } = project
  const dropped = delivery.items.length
  const record = { kind: 'bots', project_id, account_id, received_at: clock.now(), ...bot, dropped } as const
  return [packRecord(record)]
}

function keepEvents(
  { country, countryHeader, clock, ids }: TrackServices,
  delivery: TrackRequest,
  project: Project,
  { headers, ip }: HttpRequest,
): Uint8Array[] {
  const header = countryHeader === null ? undefined : headers[countryHeader]
  return accept(delivery, project, countryOf(header, ip, country), clock.now(), ids)
}
