import { hash } from 'node:crypto'
import { ApiError } from '#core/errors'
import { NO_LIMIT, type Profile } from '#core/plans/profile'
import { rateLimited } from '#core/plans/rate-limited'
import type { Clock } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { createAddressHash } from './address-hash.ts'
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts'

const MINUTE_MS = 60_000
/**
 * Sessions count in so many parts. Ids that a guesser makes up make at most this number of items a network,
 * and two sessions of one network share a count once in so many cases.
 */
const SESSION_PARTS = 1_024

/**
 * Guards by the caller's address (docs/api/limits.md): session starts, sign-ins, demo sessions, replays, and
 * wrong secrets. Addresses are not stored (createAddressHash).
 */
export function createAddressGuards({
  clock,
  profile,
  ...state
}: StateTable & { clock: Clock; profile: Profile }) {
  const windows = {
    starts: createSlidingWindow({ ...state, clock }, { name: 'starts', windowMs: 10 * MINUTE_MS }),
    failures: createSlidingWindow({ ...state, clock }, { name: 'failures', windowMs: 10 * MINUTE_MS }),
    signIns: createSlidingWindow({ ...state, clock }, { name: 'sign-ins', windowMs: 10 * MINUTE_MS }),
    demos: createSlidingWindow({ ...state, clock }, { name: 'demos', windowMs: 60 * MINUTE_MS }),
    documents: createSlidingWindow({ ...state, clock }, { name: 'documents', windowMs: 10 * MINUTE_MS }),
    clients: createSlidingWindow({ ...state, clock }, { name: 'clients', windowMs: 60 * MINUTE_MS }),
    allClients: createSlidingWindow({ ...state, clock }, { name: 'all-clients', windowMs: 60 * MINUTE_MS }),
    replays: createSlidingWindow({ ...state, clock }, { name: 'replays', windowMs: 60 * MINUTE_MS }),
  }
  const hashOf = createAddressHash({ ...state, clock })

  /**
   * Counts a session start. Throws RATE_LIMITED. `isOfOtherSite`, here and below: the page of another site
   * has sent the request. Such requests have as much room of their own, so that a page cannot spend what the
   * network of its visitor may do.
   */
  const countStart = (address: string | null, isOfOtherSite = false) =>
    count(windows.starts, profile.session_starts, address, isOfOtherSite)
  /** Counts the start of a browser sign-in; as many are admitted as session starts. Throws RATE_LIMITED. */
  const countSignIn = (address: string | null) => count(windows.signIns, profile.session_starts, address)
  /** Counts a demo session. Throws RATE_LIMITED. */
  const countDemo = (address: string | null, isOfOtherSite = false) =>
    count(windows.demos, profile.demo_sessions, address, isOfOtherSite)
  /** Counts the registration of an MCP client, also in those of all addresses. Throws RATE_LIMITED. */
  async function countRegistration(address: string | null, isOfOtherSite = false): Promise<void> {
    await count(windows.clients, profile.client_registrations, address, isOfOtherSite)
    const limit = profile.all_client_registrations
    if (limit === NO_LIMIT) return
    const admission = await windows.allClients.take('all', limit)
    if (!admission.isAdmitted)
      throw rateLimited('registrations of MCP clients from all addresses', admission, clock.now())
  }
  /** Counts the fetch of a client's document; as many are admitted as session starts. Throws RATE_LIMITED. */
  const countDocument = (address: string | null) => count(windows.documents, profile.session_starts, address)

  /** Counts the start of a replay. Throws RATE_LIMITED. */
  const countReplay = (address: string | null) => count(windows.replays, profile.replay_starts, address)

  async function count(
    window: SlidingWindow,
    limit: number,
    address: string | null,
    isOfOtherSite = false,
  ): Promise<void> {
    if (limit === NO_LIMIT) return
    const network = await hashOf(address)
    const admission = await window.take(isOfOtherSite ? `${network}#page` : network, limit)
    if (!admission.isAdmitted) throw rateLimited('requests from this address', admission, clock.now())
  }

  /**
   * Runs a check of a secret. A 401 or NOT_FOUND of the check is a wrong secret, and counts for the network
   * of the address and for `session`, what the secret is of: the id of an auth request, claim or session. Too
   * many wrong ones get RATE_LIMITED. A right one passes even then, because other clients may share the
   * network; nobody guesses 256 random bits.
   */
  async function guardSecret<T>(
    address: string | null,
    session: string,
    check: () => Promise<T>,
  ): Promise<T> {
    try {
      return await check()
    } catch (error) {
      const limit = profile.session_failures
      const isWrong = error instanceof ApiError && (error.status === 401 || error.code === 'NOT_FOUND')
      if (!isWrong || limit === NO_LIMIT) throw error
      const counted = await windows.failures.take(`${await hashOf(address)}#${partOf(session)}`, limit)
      if (counted.isAdmitted) throw error
      throw rateLimited('wrong secrets for this session from this address', counted, clock.now())
    }
  }

  return {
    countStart,
    countSignIn,
    countDemo,
    countRegistration,
    countDocument,
    countReplay,
    guardSecret,
    networkHash: hashOf,
  }
}

export type AddressGuards = ReturnType<typeof createAddressGuards>

function partOf(session: string): number {
  return hash('sha256', session, 'buffer').readUInt32BE(0) % SESSION_PARTS
}
