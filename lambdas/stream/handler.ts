import { isGuest } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Limits } from '#core/limits/limit-state'
import type { LiveBuffer } from '#core/live/buffer'
import { type StreamSettings, streamBlocks } from '#core/live/event-stream'
import { toStreamFilter } from '#core/live/filter'
import type { StreamLease, StreamLeases, StreamPlace } from '#core/live/stream-leases'
import type { Tails } from '#core/live/tails'
import { NO_LIMIT } from '#core/plans/profile'
import { limitHeaders } from '#core/plans/rate-limited'
import type { Clock, Log } from '#core/ports'
import { type AccountCall, type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import { authenticate } from '#lambdas/chain/authenticate'
import { requireScope } from '#lambdas/chain/require-scope'
import { requireTier } from '#lambdas/chain/require-tier'
import { resolveProject } from '#lambdas/chain/resolve-project'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { BASE_HEADERS } from '#lambdas/http/response'
import { routes } from '#schemas/routes'

export type StreamServices = AccountChainServices & {
  buffer: LiveBuffer
  tails: Tails
  leases: Pick<StreamLeases, 'takeEach'>
  limits: Pick<Limits, 'check' | 'networkOf'>
  clock: Clock
  /** Times of a stream. The profile sets how long it may be idle. */
  streamSettings: Omit<StreamSettings, 'idleMs'>
}

type StreamCall = AccountCall<typeof routes.stream>

/** A proxy must neither store nor collect what it passes on. nginx collects by default. */
const HEADERS = {
  ...BASE_HEADERS,
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}
/** When a client that is over the limit may try again, seconds. */
const RETRY_SECONDS = 30
/**
 * What a guest's stream reads of the buffer for Last-Event-ID, bytes of JSON. A guest may open one after the
 * other, so each costs about as much as a request of ingestion of that size.
 */
const GUEST_RESUME_BYTES = 500_000

/** GET /stream: the events of a project as they arrive (docs/api/live.md). */
export function streamHandler(services: StreamServices): HttpFunction {
  const { buffer, tails, leases, streamSettings, profile, clock, log } = services
  const chain = accountChain(services)
  return httpFunction<'stream'>(log, {
    stream: chain(routes.stream)(async call => {
      const taken = await leases.takeEach(await placesOf(services, call))
      if ('full' in taken) throw streamLimit(taken.full, clock.now())
      const { lease } = taken
      const stopping = new AbortController()
      const settings = { ...streamSettings, idleMs: profile.stream_idle_minutes * 60_000 }
      const blocks = streamBlocks(
        { buffer, tails, clock, settings },
        {
          project: call.project,
          filter: toStreamFilter(call.query),
          lastEventId: call.request.headers['last-event-id'],
          maxEvents: profile.live_buffer_events,
          maxBytes: isGuest(call.caller)
            ? Math.min(GUEST_RESUME_BYTES, profile.live_buffer_bytes)
            : profile.live_buffer_bytes,
          mayGoOn: () => mayGoOn(services, call, lease),
        },
        stopping.signal,
      )
      return { status: 200, headers: HEADERS, body: toBody(blocks, stopping, () => release(lease, log)) }
    }),
  })
}

/** A place of a stream, with the words for a caller who finds none. */
type Place = StreamPlace & { whose: string }

/**
 * What a stream counts toward. Guests share an account and may have many sessions, so theirs count for the
 * session (U65), for their network, and for all guests of the account (U102).
 */
async function placesOf(
  { profile, limits }: Pick<StreamServices, 'profile' | 'limits'>,
  { caller, request }: Pick<StreamCall, 'caller' | 'request'>,
): Promise<Place[]> {
  const { account, credential } = caller
  const { open_streams, guest_network_streams, guest_streams } = profile
  if (!isGuest(caller)) return [{ holder: account.id, limit: open_streams, whose: 'the account' }]
  const network = await limits.networkOf(request.ip)
  const places = [
    { holder: credential.id, limit: open_streams, whose: 'this session' },
    {
      holder: `network#${network}`,
      limit: guest_network_streams,
      whose: 'the demo sessions of your network',
    },
    { holder: `guests#${account.id}`, limit: guest_streams, whose: 'all demo sessions together' },
  ]
  return places.filter(({ limit }) => limit !== NO_LIMIT)
}

/**
 * The body of the response. `end` is called once, when the last block is sent or when the caller goes away.
 */
function toBody(
  blocks: AsyncGenerator<Uint8Array>,
  stopping: AbortController,
  end: () => Promise<void>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await blocks.next()
          if (stopping.signal.aborted) return
          if (done !== true) {
            controller.enqueue(value)
            return
          }
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        await end()
      },
      async cancel() {
        stopping.abort()
        await blocks.return(undefined)
        await end()
      },
    },
    { highWaterMark: 0 },
  )
}

async function release(lease: StreamLease, log: Log): Promise<void> {
  await lease.release().catch(error => log('STREAM_NOT_RELEASED', { error: String(error) }))
}

/**
 * Returns whether the stream may go on: its credential, plan and project are still good, and its lease is
 * still its own. While the state table is out of reach the stream goes on.
 */
async function mayGoOn(services: StreamServices, call: StreamCall, lease: StreamLease): Promise<boolean> {
  try {
    const { caller } = await authenticate(services)(call)
    requireScope({ ...call, caller })
    requireTier({ ...call, caller })
    const request = { ...call.request, query: { ...call.request.query, project: call.project.id } }
    const { project } = await resolveProject(services)({ ...call, caller, request, json: {} })
    const isSame = caller.account.id === call.caller.account.id && project?.id === call.project.id
    return isSame && (await lease.renew())
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.code === 'UNAVAILABLE'
  }
}

function streamLimit({ limit, whose }: Place, now: number): ApiError {
  const message = `The limit of ${limit} open streams for ${whose} is reached. Close one and open this one again, or read GET /live with \`after\` every few seconds.`
  return new ApiError('STREAM_LIMIT', message, {
    retryAfter: RETRY_SECONDS,
    headers: limitHeaders({ limit, remaining: 0, resetsAt: now + RETRY_SECONDS * 1_000 }),
  })
}
