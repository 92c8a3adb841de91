import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { rateLimited } from '#core/plans/rate-limited'
import type { Now } from '#core/ports'
import { isSame, locateSession, randomSecret, type SessionLocator, sha256 } from '#core/secrets/tokens'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import type { Scope } from '#schemas/scopes'
import { agentSessionEntity, usedRefreshTokenEntity } from './entities.ts'
import {
  ACCESS_MS,
  aged,
  derived,
  deriveTokens,
  graced,
  type IssuedSession,
  type AgentSessionItem as Item,
  issued,
  KEPT_MS,
  REFRESH_MS,
  toSeconds,
} from './token-pairs.ts'

export type RefreshServices = StateTable & {
  clock: Now
  findWithAccount(at: SessionLocator): Promise<[Item | null, Account | null]>
  isActive(item: Item): boolean
  revoke(accountId: string, sessionId: string): Promise<boolean>
}

export type RefreshedSession = { session: IssuedSession; account: Account }

/** What a refresh that is no mistake of the client reports, for the audit log. */
export type ReuseAlarm = (session: {
  account_id: string
  session_id: string
  label: string | null
}) => Promise<void> | void

/** Access tokens of one session that may live at once: an item of the table is bounded. */
const MAX_PAIRS = 500
/** How often a change starts again that another request has overtaken. */
const MAX_TRIES = 8

/** Refresh with rotation, its grace period and the alarm of a reuse (docs/api/agent-sessions.md). */
export function createRefresh({ clock, findWithAccount, isActive, revoke, ...state }: RefreshServices) {
  const sessions = agentSessionEntity(state)
  const usedTokens = usedRefreshTokenEntity(state)

  /**
   * A new pair for a refresh token. The same token gives the same pair for 60 s, as clients send it several
   * times at once. A later reuse revokes the session and is reported to `onReuse`. The session of an MCP
   * client is refused to `clientId` of another one. Throws INVALID_REFRESH_TOKEN.
   */
  async function refresh(
    token: string,
    onReuse: ReuseAlarm = () => {},
    clientId?: string,
  ): Promise<RefreshedSession> {
    const at = locateSession(token, 'aar')
    if (at === null) throw invalidRefreshToken()
    const hash = sha256(token)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [item, account] = await findWithAccount(at)
      if (item === null || account === null || !isActive(item)) throw invalidRefreshToken()
      const ownClient = item.oauth_client_id ?? clientId
      if (clientId !== undefined && clientId !== ownClient) throw invalidRefreshToken()
      const now = clock.now()
      if (!isSame(item.refresh_hash ?? '', hash)) {
        const pair = graced(item, hash, now)
        if (pair !== undefined) return { session: derived(at, item, token, pair), account }
        if (await isUsed(hash, at)) {
          await revoke(at.account_id, at.session_id)
          await onReuse({ ...at, label: item.label ?? null })
        }
        throw invalidRefreshToken()
      }
      const session = await rotate(at, item, token, hash)
      if (session !== null) return { session, account }
    }
    throw new ApiError(
      'UNAVAILABLE',
      'Several requests refresh this session at the same time. Try again in a second.',
      { retryAfter: 1 },
    )
  }

  /** Exchanges the current refresh token; null when another request was faster. */
  async function rotate(
    at: SessionLocator,
    item: Item,
    token: string,
    hash: string,
  ): Promise<IssuedSession | null> {
    const now = clock.now()
    const pairs = item.pairs.filter(pair => pair.access_valid_until > now).map(pair => aged(pair, now))
    if (pairs.length >= MAX_PAIRS) {
      const resetAt = pairs[0]?.access_valid_until ?? now
      throw rateLimited('refreshes of this session', { limit: MAX_PAIRS, remaining: 0, resetAt }, now)
    }
    const nonce = randomSecret()
    const tokens = deriveTokens(at, token, nonce)
    const pair = {
      access_hash: sha256(tokens.access_token),
      access_valid_until: now + ACCESS_MS,
      from_hash: hash,
      nonce,
      rotated_at: now,
      refresh_valid_until: now + REFRESH_MS,
    }
    // Before the rotation: a crash in between leaves a note about a token that is still current, which counts
    // first.
    await orUnavailable(
      usedTokens.put({ hash, ...at, expires_at: toSeconds(item.refresh_valid_until + DAY_MS) }).go(),
    )
    const unchanged = sessions
      .patch({ account_id: at.account_id, id: at.session_id })
      .set({
        refresh_hash: sha256(tokens.refresh_token),
        refresh_valid_until: pair.refresh_valid_until,
        pairs: [...pairs, pair],
        last_used_at: now,
        expires_at: toSeconds(pair.refresh_valid_until + KEPT_MS),
      })
      .where(
        (attributes, { eq, notExists }) =>
          `${eq(attributes.refresh_hash, hash)} AND ${notExists(attributes.revoked_at)}`,
      )
    if (!(await conditionHeld(unchanged.go()))) return null
    return issued(at, pair, item.scopes as Scope[], tokens.access_token, tokens.refresh_token)
  }

  async function isUsed(hash: string, { account_id, session_id }: SessionLocator): Promise<boolean> {
    const { data } = await orUnavailable(usedTokens.get({ hash }).go({ consistent: true }))
    return data?.account_id === account_id && data.session_id === session_id
  }

  return refresh
}

function invalidRefreshToken(): ApiError {
  return new ApiError(
    'INVALID_REFRESH_TOKEN',
    'The refresh token is unknown, expired or revoked. Start another session.',
  )
}
