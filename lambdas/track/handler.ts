import type { Caller } from '#core/access/caller'
import type { BotCounts } from '#core/ingest/bot-counts'
import type { BotClassifier } from '#core/ingest/bots'
import { checkCredential } from '#core/ingest/check-credential'
import { checkEvents } from '#core/ingest/check-events'
import { checkOrigin } from '#core/ingest/check-origin'
import { countryOf } from '#core/ingest/country'
import { detectBot, ignoreBot } from '#core/ingest/detect-bot'
import type { EmailHasher } from '#core/ingest/email-hash'
import { enforceEventCaps, enforceTokenLimit } from '#core/ingest/enforce-caps'
import { findProject } from '#core/ingest/find-project'
import { checkIdentity } from '#core/ingest/identify-request'
import type { ArrivalOrder } from '#core/ingest/ids'
import { judgeEvent } from '#core/ingest/judge-event'
import { packEvents } from '#core/ingest/pack-events'
import { packRecord } from '#core/ingest/record'
import type { RefusalCounts } from '#core/ingest/refusal-counts'
import type { Sender } from '#core/ingest/sender'
import { parseBatch, parseEvent, type TrackRequest } from '#core/ingest/track-request'
import type { Limits } from '#core/limits/limit-state'
import type { EventStream, Log, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { JsonObject } from '#core/text/json-object'
import { createChain, type Endpoint, type Exchange } from '#lambdas/chain/chain'
import { readBody } from '#lambdas/chain/read-body'
import type { HttpFunction, HttpRequest, HttpResponse } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { jsonResponse } from '#lambdas/http/response'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { ingestStep } from './ingest-step.ts'
import { parseStep } from './parse-step.ts'
import { readTrackBody } from './read-track-body.ts'
import { unpackBody } from './unpack-body.ts'

export type TrackServices = {
  stream: Pick<EventStream, 'append'>
  projects: Pick<ProjectDirectory, 'byToken'>
  /** The country of an address by a table: two letters, or null. */
  country(ip: string): string | null
  /** Lower-case name of the header in which a proxy sends the sender's country, or null. */
  countryHeader: string | null
  bots: BotClassifier
  botCounts: Pick<BotCounts, 'count'>
  refusals: Pick<RefusalCounts, 'count'>
  /** Optional authentication, as Sender.findCaller. */
  findCaller(request: HttpRequest): undefined | Promise<Caller | null>
  limits: Pick<Limits, 'checkEvents' | 'checkToken'>
  emails: EmailHasher
  clock: Now
  ids: ArrivalOrder
  log: Log
}

const QUEUED = jsonResponse(202, { ok: true, queued: true })

/**
 * POST /track, /track/batch, /track/check and /identify. The response 202 is sent when the stream has the
 * record on disk.
 */
export function trackHandler(services: TrackServices): HttpFunction {
  return httpFunction<'track'>(services.log, {
    track: trackEndpoint(services, { route: routes.track, parse: parseEvent, respond: () => QUEUED }),
    trackBatch: trackEndpoint(services, {
      route: routes.trackBatch,
      parse: parseBatch,
      // The number of events in the request, retries of stored events included.
      respond: ({ items }) => jsonResponse(202, { ok: true, queued: true, count: items.length }),
    }),
    checkTrack: checkEndpoint(services),
    identify: identifyEndpoint(services),
  })
}

type TrackRow = {
  route: Route
  /** Checks container and size of the batch, and that it has one token. */
  parse(json: JsonObject): TrackRequest
  /** The response of a request that is stored or that looks stored. */
  respond(request: TrackRequest): HttpResponse
}

function trackEndpoint(services: TrackServices, { route, parse, respond }: TrackRow): Endpoint {
  const { stream, botCounts, refusals, ids, log } = services
  const end = { botCounts, refusals, respond }
  // The order of docs/api/ingestion.md.
  return createChain(log)
    .step(readTrackBody)
    .step(parseStep(parse, services))
    .step(ingestStep(findProject(services), end))
    .step(readSender(services))
    .step(ingestStep(checkOrigin, end))
    .step(ingestStep(enforceTokenLimit(services), end))
    .step(ingestStep(checkCredential, end))
    .step(ingestStep(detectBot(services), end))
    .step(ingestStep(checkEvents(services), end))
    .step(ingestStep(enforceEventCaps(services), end))
    .endpoint(route, ({ trackRequest, project, sender, events, arrivedAt, isCredentialed: isOwn }) => {
      // Event_ids of the project itself replace those that anybody can send with the public token (U63).
      const isCredentialed = isOwn && events.some(({ event_id }) => event_id !== null)
      const country = countryOf(sender.proxyCountry, sender.ip, services.country)
      const position = ids.take(arrivedAt, events.length)
      const response = respond(trackRequest)
      const records = packEvents(project, { country, isCredentialed }, events, position)
      // This function is not async: an async one would keep the events in memory until the log has the
      // records.
      return stream.append(records, project.id).then(() => response)
    })
}

function identifyEndpoint(services: TrackServices): Endpoint {
  const { stream, botCounts, refusals, ids, log } = services
  const end = { botCounts, refusals, respond: () => QUEUED }
  return createChain(log)
    .step(exchange => readBody(unpackBody(exchange)))
    .step(({ json }) => ({ trackRequest: parseEvent(json) }))
    .step(ingestStep(findProject(services), end))
    .step(readSender(services))
    .step(ingestStep(checkOrigin, end))
    .step(ingestStep(enforceTokenLimit(services), end))
    .step(ingestStep(checkCredential, end))
    .step(ingestStep(ignoreBot(services), end))
    .step(ingestStep(checkIdentity(services), end))
    .endpoint(routes.identify, async ({ project, identity, arrivedAt }) => {
      const { receivedAt, seq } = ids.take(arrivedAt, 1)
      const { id: project_id, account_id } = project
      const head = { kind: 'identify' as const, project_id, account_id, received_at: receivedAt, seq }
      await stream.append([packRecord({ ...head, ...identity })], project_id)
      return QUEUED
    })
}

/** Says what POST /track would do with an event (U114). Nothing is stored, and no refusal is counted. */
function checkEndpoint(services: TrackServices): Endpoint {
  const judge = judgeEvent(services)
  return createChain(services.log)
    .step(readTrackBody)
    .step(readSender(services))
    .endpoint(routes.checkTrack, async ({ json, sender }) => jsonResponse(200, await judge(json, sender)))
}

/** Adds what the rules of ingestion need to know about the sender. */
function readSender({ countryHeader, findCaller }: Pick<TrackServices, 'countryHeader' | 'findCaller'>) {
  return function addSender({ request }: Exchange): { sender: Sender } {
    const { headers, ip } = request
    return {
      sender: {
        origin: headers.origin,
        userAgent: headers['user-agent'],
        brands: headers['sec-ch-ua'],
        isMobile: headers['sec-ch-ua-mobile'] === '?1',
        platform: headers['sec-ch-ua-platform'],
        proxyCountry: countryHeader === null ? undefined : headers[countryHeader],
        ip,
        findCaller: () => findCaller(request),
      },
    }
  }
}
