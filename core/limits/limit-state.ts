import type { Caller } from '#core/access/caller'
import { ApiError } from '#core/errors'
import { limitHeaders } from '#core/plans/rate-limited'
import type { Limit } from '#schemas/route'

/** A limit after one request has counted toward it. */
export type LimitState = {
  limit: number
  remaining: number
  /** When the limit starts again, Unix ms. */
  resetsAt: number
  /** Present when the request is over the limit. */
  exceeded?: {
    /** For the client: which limit, and what to do. */
    message: string
    /** Further fields of the response, e.g. `reason`. */
    fields?: Record<string, unknown>
    /** Seconds. */
    retryAfter: number
  }
  /** A read of the month that was counted already. It is given back when the request fails. */
  reservation?: { release(): Promise<void> }
}

/** What the statements of a read count toward whose caller has no account of their own. */
export type Guest = {
  /** Counts a statement that is about to run. Throws RATE_LIMITED. */
  admitStatement(): Promise<void>
  /** Counts what a statement has cost, US dollars. Never rejects. */
  noteCost(costUsd: number): Promise<void>
}

/** The limits of plans (docs/api/limits.md). */
export type Limits = {
  /**
   * Counts one request toward limits, in their order, up to the first that is exceeded. `address`: of the
   * caller. Resolves to the state of the exceeded one, else of the first that the caller has; null: none.
   */
  check(caller: Caller, limits: readonly Limit[], address: string | null): Promise<LimitState | null>
  /** What the statements of one read of the caller count toward; undefined for an account. */
  guestOf(caller: Pick<Caller, 'credential'>, projectId: string, address: string | null): Guest | undefined
  /** Names the network of an address for a day, without the address. */
  networkOf(address: string | null): Promise<string>
  /** The statements of guests of a project on this UTC day, and how many there may be; null: any number. */
  guestUse(projectId: string): Promise<{ statements: number; limit: number } | null>
  /**
   * Counts events that an account is about to store. null: no limit. Synchronous, as ingestion never waits
   * for it.
   */
  checkEvents(accountId: string, events: number): LimitState | null
  /**
   * Counts one request of a project's token. null: within the limit, or no limit. Synchronous, as
   * checkEvents.
   */
  checkToken(projectId: string): LimitState | null
}

/** The limits of the profile `own`: none. */
export const noLimits: Limits = {
  check: async () => null,
  guestOf: () => undefined,
  networkOf: async address => String(address),
  guestUse: async () => null,
  checkEvents: () => null,
  checkToken: () => null,
}

/** Returns the error for a request over a limit, or null within it. */
export function limitError(state: LimitState): ApiError | null {
  if (state.exceeded === undefined) return null
  const { message, fields, retryAfter } = state.exceeded
  return new ApiError('RATE_LIMITED', message, { fields, retryAfter, headers: limitHeaders(state) })
}
