import type { EntityItem } from 'electrodb'
import { derive, isSame, type SessionLocator, sessionToken } from '#core/secrets/tokens'
import { DAY_MS } from '#core/time'
import type { Scope } from '#schemas/scopes'
import type { agentSessionEntity } from './entities.ts'

/** The pairs of an access and a refresh token that a session has (docs/api/agent-sessions.md). */

export type AgentSessionItem = EntityItem<ReturnType<typeof agentSessionEntity>>
export type TokenPair = AgentSessionItem['pairs'][number]

/** What a client stores. The tokens cannot be read again. */
export type IssuedSession = {
  id: string
  access_token: string
  refresh_token: string
  access_expires_at: number
  refresh_expires_at: number
  scopes: Scope[]
}

/** docs/api/agent-sessions.md. */
export const ACCESS_MS = 60 * 60_000
export const REFRESH_MS = 90 * DAY_MS
/** How long a refresh token that was exchanged returns the same pair again. */
const GRACE_MS = 60_000
/** How long a session that is over stays in the list. */
export const KEPT_MS = 90 * DAY_MS

/** The pair that the token was exchanged for within the last 60 s. */
export function graced({ pairs }: AgentSessionItem, hash: string, now: number): TokenPair | undefined {
  return pairs.find(
    ({ from_hash, nonce, rotated_at }) =>
      from_hash !== undefined &&
      isSame(from_hash, hash) &&
      nonce !== undefined &&
      rotated_at !== undefined &&
      now - rotated_at <= GRACE_MS,
  )
}

/** Without the nonce once the grace period is over: then nobody can derive the pair from an old token. */
export function aged({ nonce, ...pair }: TokenPair, now: number): TokenPair {
  const isGraced = nonce !== undefined && now - (pair.rotated_at ?? 0) <= GRACE_MS
  return isGraced ? { ...pair, nonce } : pair
}

/**
 * The pair that follows a refresh token. It is derived from the token and a random nonce, so that the same
 * token gives the same pair again although only hashes are stored; neither the token nor the table alone is
 * enough.
 */
export function deriveTokens(at: SessionLocator, token: string, nonce: string) {
  return {
    access_token: sessionToken('aas', at, derive(token, `access ${nonce}`)),
    refresh_token: sessionToken('aar', at, derive(token, `refresh ${nonce}`)),
  }
}

export function derived(
  at: SessionLocator,
  item: AgentSessionItem,
  token: string,
  pair: TokenPair,
): IssuedSession {
  const tokens = deriveTokens(at, token, pair.nonce ?? '')
  return issued(at, pair, item.scopes as Scope[], tokens.access_token, tokens.refresh_token)
}

export function issued(
  { session_id }: SessionLocator,
  pair: TokenPair,
  scopes: Scope[],
  access_token: string,
  refresh_token: string,
): IssuedSession {
  return {
    id: session_id,
    access_token,
    refresh_token,
    access_expires_at: pair.access_valid_until,
    refresh_expires_at: pair.refresh_valid_until,
    scopes,
  }
}

/** Unix seconds, for the table's TTL. */
export function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000)
}
