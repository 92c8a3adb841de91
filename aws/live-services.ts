import { createUserResolver } from '#core/identity/user-resolver'
import { createLiveBuffer } from '#core/live/buffer'
import { createLiveConsumer } from '#core/live/consumer'
import { STREAM_DEFAULTS } from '#core/live/event-stream'
import { createStreamLeases } from '#core/live/stream-leases'
import { createTails } from '#core/live/tails'
import { readProfile } from '#core/plans/profile'
import { systemClock as clock } from '#providers/system-clock'
import { createInstruments } from './instruments.ts'
import { readSettings } from './settings.ts'
import { createTracedAccess, createTracedStores } from './traced-stores.ts'

/**
 * The services of the live consumer and of open streams. As in services.ts, each function has its own
 * constructor.
 */

type Environment = Record<string, string | undefined>

/**
 * A stream on AWS ends after this time, and its client connects again with Last-Event-ID. Lambda does not
 * tell a function that the client has gone, so a stream that nobody reads costs money and holds its place
 * until then (docs/decisions/2026-11-22-live.md).
 */
const MAX_STREAM_MS = 5 * 60_000

export function createLiveServices(environment: Environment) {
  const { TABLE_NAME, PROFILE, LIMITS } = readSettings('live', environment)
  const { log, trace, instrument } = createInstruments()
  const bufferMs = readProfile(PROFILE, LIMITS).live_buffer_seconds * 1_000
  const buffer = createLiveBuffer(createTracedStores(TABLE_NAME, trace), { clock, bufferMs })
  return { services: { consumer: createLiveConsumer({ buffer }), log }, instrument }
}

export function createStreamServices(environment: Environment) {
  const { TABLE_NAME, EDGE_KEY, ...settings } = readSettings('stream', environment)
  const { log, trace, instrumentStream } = createInstruments()
  const stores = createTracedStores(TABLE_NAME, trace)
  const access = createTracedAccess(stores, settings, log)
  const bufferMs = access.profile.live_buffer_seconds * 1_000
  const buffer = createLiveBuffer(stores, { clock, bufferMs })
  const services = {
    ...access,
    buffer,
    tails: createTails({ buffer, users: createUserResolver({ ...stores, bufferMs, clock }), clock, log }),
    leases: createStreamLeases(stores, { clock, isOnlyProcess: false }),
    streamSettings: { ...STREAM_DEFAULTS, maxMs: MAX_STREAM_MS },
    clock,
    log,
  }
  return { services, edgeKey: EDGE_KEY, instrumentStream }
}
