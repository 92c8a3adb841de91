import { type Caller, isGuest } from '#core/access/caller'
import { NO_LIMIT, type Profile } from '#core/plans/profile'
import type { Clock, Log } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { createAddressHash } from './address-hash.ts'
import { createDayCount } from './day-count.ts'
import { type Guest, type LimitState, limitError } from './limit-state.ts'
import { type Admission, createSlidingWindow } from './sliding-window.ts'

const MINUTE_MS = 60_000
/**
 * What Athena bills at least for a statement (aws/athena-price.ts), US dollars. One machine costs nothing.
 */
const STATEMENT_USD = 0.000_05

/** One rate of two that a read must keep: how many of what, and of whom for the message. */
type Rate = { key: string; limit: number; whose: string }

/**
 * The rates of what is open to everybody. A session of the demo has a rate, and all sessions of one network
 * have one together, because anybody may open many sessions (U65). The readers of a share link in one network
 * have a rate, and all readers of the link have one together. It counts statements: a read of one counts
 * once, and a read of four counts four times. A project has a number of statements a day for all of them.
 */
export function createOpenLimits({
  clock,
  profile,
  log,
  ...state
}: StateTable & { clock: Clock; profile: Profile; log: Log }) {
  const {
    demo_reads_per_minute,
    demo_network_reads_per_minute,
    share_statements_per_minute,
    share_link_statements_per_minute,
    guest_statements_per_day,
  } = profile
  const window = (name: string) => createSlidingWindow({ ...state, clock }, { name, windowMs: MINUTE_MS })
  const windows = {
    demo: [window('demo-reads'), window('demo-network')],
    share: [window('share-network'), window('share-reads')],
  } as const
  const hashOf = createAddressHash({ ...state, clock })
  const days = createDayCount({ ...state, clock }, 'guest-statements')

  /** Counts one read of a demo session. */
  async function checkDemo(sessionId: string, address: string | null): Promise<LimitState | null> {
    const network = await hashOf(address)
    return check('the demo', 'reads', windows.demo, [
      { key: sessionId, limit: demo_reads_per_minute, whose: 'one session' },
      { key: network, limit: demo_network_reads_per_minute, whose: 'all sessions of one network' },
    ])
  }

  /** Counts one read by a share link, or one statement of it after the first. */
  async function checkShare(linkId: string, address: string | null): Promise<LimitState | null> {
    const network = await hashOf(address)
    return check('a share link', 'statements', windows.share, [
      { key: `${linkId} ${network}`, limit: share_statements_per_minute, whose: 'one network' },
      { key: linkId, limit: share_link_statements_per_minute, whose: 'all its readers' },
    ])
  }

  /** What the statements of one read count toward; undefined for an account. */
  function guestOf(
    { credential }: Pick<Caller, 'credential'>,
    projectId: string,
    address: string | null,
  ): Guest | undefined {
    if (!isGuest({ credential })) return undefined
    let statements = 0
    return {
      async admitStatement() {
        const isFirst = statements++ === 0
        throwExceeded(await checkDay(projectId))
        // The read itself has counted for its first statement.
        if (!isFirst && credential.kind === 'share_link')
          throwExceeded(await checkShare(credential.id, address))
      },
      async noteCost(costUsd) {
        // The tolerance is for sums of floating point.
        const more = Math.ceil(costUsd / STATEMENT_USD - 1e-6) - 1
        if (more <= 0 || guest_statements_per_day === NO_LIMIT) return
        await days.add(projectId, more).catch(error => log('READ_NOT_COUNTED', { error: String(error) }))
      },
    }
  }

  async function checkDay(projectId: string): Promise<LimitState | null> {
    if (guest_statements_per_day === NO_LIMIT) return null
    const { isAdmitted, limit, remaining, resetAt } = await days.take(projectId, guest_statements_per_day)
    const state = { limit, remaining, resetsAt: resetAt }
    if (isAdmitted) return state
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const minutes = Math.ceil(retryAfter / 60)
    const message = `The ${limit} statements a day for the share links and the demo of this project are used up. Ask again after midnight UTC, in ${Math.floor(minutes / 60)} h ${minutes % 60} min.`
    return { ...state, exceeded: { message, fields: { reason: 'daily_statement_limit' }, retryAfter } }
  }

  /** The statements of guests of a project on this UTC day, and how many there may be; null: any number. */
  async function guestUse(projectId: string): Promise<{ statements: number; limit: number } | null> {
    const limit = guest_statements_per_day
    if (limit === NO_LIMIT) return null
    return { statements: Math.min(limit, await days.read(projectId)), limit }
  }

  /** A read that the first rate refuses does not count for the second. */
  async function check(
    what: string,
    things: string,
    [first, second]: (typeof windows)['demo' | 'share'],
    [one, all]: readonly [Rate, Rate],
  ): Promise<LimitState | null> {
    const ofOne = one.limit === NO_LIMIT ? null : await first.take(one.key, one.limit)
    if (ofOne?.isAdmitted === false) return stateOf(what, things, ofOne, one)
    const ofAll = all.limit === NO_LIMIT ? null : await second.take(all.key, all.limit)
    if (ofAll?.isAdmitted === false) return stateOf(what, things, ofAll, all)
    return ofOne && stateOf(what, things, ofOne, one)
  }

  function stateOf(
    what: string,
    things: string,
    { isAdmitted, limit, remaining, resetAt }: Admission,
    { whose }: Rate,
  ): LimitState {
    const state = { limit, remaining, resetsAt: resetAt }
    if (isAdmitted) return state
    const retryAfter = Math.max(1, Math.ceil((resetAt - clock.now()) / 1_000))
    const message = `Wait ${retryAfter} s, then try again: ${what} admits ${limit} ${things} a minute of ${whose}.`
    return { ...state, exceeded: { message, fields: { reason: 'rate_limit' }, retryAfter } }
  }

  return { checkDemo, checkShare, guestOf, guestUse, networkOf: hashOf }
}

function throwExceeded(state: LimitState | null): void {
  const error = state && limitError(state)
  if (error !== null) throw error
}
