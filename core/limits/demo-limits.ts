import type { Clock } from '#core/ports'
import type { StateTable } from '#core/state-table'
import { createAddressHash } from './address-hash.ts'
import type { LimitState } from './limit-state.ts'
import { NO_LIMIT, type Profile } from './profile.ts'
import { type Admission, createSlidingWindow } from './sliding-window.ts'

const MINUTE_MS = 60_000

/**
 * The rates of demo sessions (U65). The demo is open to everybody, so no plan limits it: each session has a
 * rate, and all sessions of one network have one together, because anybody may open many sessions.
 */
export function createDemoLimits({
  clock,
  profile,
  ...state
}: StateTable & { clock: Clock; profile: Profile }) {
  const sessions = createSlidingWindow({ ...state, clock }, { name: 'demo-reads', windowMs: MINUTE_MS })
  const networks = createSlidingWindow({ ...state, clock }, { name: 'demo-network', windowMs: MINUTE_MS })
  const hashOf = createAddressHash({ ...state, clock })

  /** Counts one read. A read that the session's rate refuses does not count for the network. */
  return async function check(sessionId: string, address: string | null): Promise<LimitState | null> {
    const { demo_reads_per_minute, demo_network_reads_per_minute } = profile
    const ofSession =
      demo_reads_per_minute === NO_LIMIT ? null : await sessions.take(sessionId, demo_reads_per_minute)
    if (ofSession?.isAdmitted === false) return stateOf(ofSession, 'one session')
    const ofNetwork =
      demo_network_reads_per_minute === NO_LIMIT
        ? null
        : await networks.take(await hashOf(address), demo_network_reads_per_minute)
    if (ofNetwork?.isAdmitted === false) return stateOf(ofNetwork, 'all sessions of one network')
    return ofSession && stateOf(ofSession, 'one session')
  }

  function stateOf({ isAdmitted, limit, remaining, resetAt }: Admission, whose: string): LimitState {
    const state = { limit, remaining, resetsAt: resetAt }
    if (isAdmitted) return state
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const message = `The demo admits ${limit} reads a minute of ${whose}. Wait ${retryAfter} s, then try again.`
    return { ...state, exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter } }
  }
}
