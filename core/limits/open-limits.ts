import type { Clock } from '#core/ports'
import type { StateTable } from '#core/state-table'
import { createAddressHash } from './address-hash.ts'
import type { LimitState } from './limit-state.ts'
import { NO_LIMIT, type Profile } from './profile.ts'
import { type Admission, createSlidingWindow } from './sliding-window.ts'

const MINUTE_MS = 60_000

/** One rate of two that a read must keep: how many, and of whom for the message. */
type Rate = { key: string; limit: number; whose: string }

/**
 * The rates of what is open to everybody. A session of the demo has a rate, and all sessions of one network
 * have one together, because anybody may open many sessions (U65). The readers of a share link in one network
 * have a rate, and all readers of the link have one together, because its owner's reads are behind it.
 */
export function createOpenLimits({
  clock,
  profile,
  ...state
}: StateTable & { clock: Clock; profile: Profile }) {
  const {
    demo_reads_per_minute,
    demo_network_reads_per_minute,
    share_reads_per_minute,
    share_link_reads_per_minute,
  } = profile
  const window = (name: string) => createSlidingWindow({ ...state, clock }, { name, windowMs: MINUTE_MS })
  const windows = {
    demo: [window('demo-reads'), window('demo-network')],
    share: [window('share-network'), window('share-reads')],
  } as const
  const hashOf = createAddressHash({ ...state, clock })

  /** Counts one read of a demo session. */
  async function checkDemo(sessionId: string, address: string | null): Promise<LimitState | null> {
    const network = await hashOf(address)
    return check('the demo', windows.demo, [
      { key: sessionId, limit: demo_reads_per_minute, whose: 'one session' },
      { key: network, limit: demo_network_reads_per_minute, whose: 'all sessions of one network' },
    ])
  }

  /** Counts one read by a share link. */
  async function checkShare(linkId: string, address: string | null): Promise<LimitState | null> {
    const network = await hashOf(address)
    return check('a share link', windows.share, [
      { key: `${linkId} ${network}`, limit: share_reads_per_minute, whose: 'one network' },
      { key: linkId, limit: share_link_reads_per_minute, whose: 'all its readers' },
    ])
  }

  /** A read that the first rate refuses does not count for the second. */
  async function check(
    what: string,
    [first, second]: (typeof windows)['demo' | 'share'],
    [one, all]: readonly [Rate, Rate],
  ): Promise<LimitState | null> {
    const ofOne = one.limit === NO_LIMIT ? null : await first.take(one.key, one.limit)
    if (ofOne?.isAdmitted === false) return stateOf(what, ofOne, one)
    const ofAll = all.limit === NO_LIMIT ? null : await second.take(all.key, all.limit)
    if (ofAll?.isAdmitted === false) return stateOf(what, ofAll, all)
    return ofOne && stateOf(what, ofOne, one)
  }

  function stateOf(
    what: string,
    { isAdmitted, limit, remaining, resetAt }: Admission,
    { whose }: Rate,
  ): LimitState {
    const state = { limit, remaining, resetsAt: resetAt }
    if (isAdmitted) return state
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const message = `Wait ${retryAfter} s, then try again: ${what} admits ${limit} reads a minute of ${whose}.`
    return { ...state, exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter } }
  }

  return { checkDemo, checkShare }
}
