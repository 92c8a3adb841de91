import type { Account } from '#core/accounts/account'
import type { AccountStore } from '#core/accounts/store'
import type { Now } from '#core/ports'
import {
  isSame,
  locateSession,
  randomId,
  randomSecret,
  type SessionLocator,
  sessionToken,
  sha256,
} from '#core/secrets/tokens'
import { createLookupCache } from '#core/state/lookup-cache'
import { readTogether } from '#core/state/read-items'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import type { Scope } from '#schemas/scopes'
import { agentSessionEntity } from './entities.ts'
import { createRefresh } from './refresh.ts'
import {
  ACCESS_MS,
  type IssuedSession,
  type AgentSessionItem as Item,
  issued,
  KEPT_MS,
  REFRESH_MS,
  type TokenPair,
  toSeconds,
} from './token-pairs.ts'
import type { AgentSessionSummary, AuthRequest } from './types.ts'

export type AgentSessionServices = StateTable & {
  clock: Now
  accounts: Pick<AccountStore, 'itemRead'>
}

export type DemoSession = Pick<IssuedSession, 'id' | 'access_token' | 'access_expires_at' | 'scopes'>

/** A good access token. */
export type SessionCaller = {
  session_id: string
  client_type: string
  label: string | null
  is_demo: boolean
  scopes: Scope[]
  account: Account
  /** Unix ms. */
  access_expires_at: number
}

type Client = Pick<AuthRequest, 'client_type' | 'client_name' | 'client_instance_id' | 'label' | 'scopes'> &
  Partial<Pick<AuthRequest, 'oauth'>>

const MINUTE_MS = 60_000
/** A revoked session is dead in every process after this time. */
const CACHE = { foundMs: 5_000, missingMs: 1_000, maxEntries: 10_000 }
const MAX_LISTED = 200

const DEMO_SCOPES: Scope[] = [
  'account:read',
  'projects:read',
  'analytics:read',
  'experiments:read',
  'live:read',
]

/** Agent sessions (docs/api/agent-sessions.md): issue, look up, refresh with rotation, list, revoke. */
export function createAgentSessionStore({ clock, accounts, ...state }: AgentSessionServices) {
  const sessions = agentSessionEntity(state)
  const cache = createLookupCache(clock, lookUp, CACHE)
  const touched = new Map<string, number>()
  const refresh = createRefresh({ ...state, clock, findWithAccount, isActive, revoke })

  /** A new session of the account. */
  async function issue(
    accountId: string,
    client: Client,
    session_id: string = randomId('ags'),
  ): Promise<IssuedSession> {
    const now = clock.now()
    const at = { account_id: accountId, session_id }
    const access_token = sessionToken('aas', at, randomSecret())
    const refresh_token = sessionToken('aar', at, randomSecret())
    const pair = {
      access_hash: sha256(access_token),
      access_valid_until: now + ACCESS_MS,
      refresh_valid_until: now + REFRESH_MS,
    }
    await create(at, client, { pair, refresh_hash: sha256(refresh_token) })
    return issued(at, pair, client.scopes, access_token, refresh_token)
  }

  /** A short session that reads the demo project. It has no refresh token. */
  async function issueDemo(accountId: string): Promise<DemoSession> {
    const now = clock.now()
    const at = { account_id: accountId, session_id: randomId('ags') }
    const access_token = sessionToken('aas', at, randomSecret())
    const until = now + ACCESS_MS
    const pair = { access_hash: sha256(access_token), access_valid_until: until, refresh_valid_until: until }
    const client = { ...NO_CLIENT, client_type: 'demo', scopes: DEMO_SCOPES }
    await create(at, client, { pair })
    return { id: at.session_id, access_token, access_expires_at: until, scopes: DEMO_SCOPES }
  }

  async function create(
    { account_id, session_id }: SessionLocator,
    { client_type, client_name, client_instance_id, label, scopes, oauth }: Client,
    { pair, refresh_hash }: { pair: TokenPair; refresh_hash?: string },
  ): Promise<void> {
    const now = clock.now()
    const item = {
      account_id,
      id: session_id,
      client_type,
      scopes,
      ...(client_name !== null && { client_name }),
      ...(client_instance_id !== null && { client_instance_id }),
      ...(label !== null && { label }),
      ...(oauth && { oauth_client_id: oauth.client_id }),
      ...(refresh_hash !== undefined && { refresh_hash }),
      is_demo: refresh_hash === undefined,
      created_at: now,
      last_used_at: now,
      refresh_valid_until: pair.refresh_valid_until,
      pairs: [pair],
      expires_at: toSeconds(pair.refresh_valid_until + (refresh_hash === undefined ? 0 : KEPT_MS)),
    }
    await orUnavailable(sessions.put(item).go())
  }

  /** Whose access token this is; null when it is unknown, expired or revoked. Cached for at most 5 s. */
  async function byAccessToken(token: string): Promise<SessionCaller | null> {
    if (locateSession(token, 'aas') === null) return null
    const caller = await cache.get(token)
    if (caller === null || caller.access_expires_at <= clock.now()) return null
    await touch(caller)
    return caller
  }

  async function lookUp(token: string): Promise<SessionCaller | null> {
    const at = locateSession(token, 'aas')
    if (at === null) return null
    const [item, account] = await findWithAccount(at)
    if (item === null || account === null || !isActive(item)) return null
    const hash = sha256(token)
    const pair = item.pairs.find(({ access_hash }) => isSame(access_hash, hash))
    if (pair === undefined || pair.access_valid_until <= clock.now()) return null
    return {
      session_id: item.id,
      client_type: item.client_type,
      label: item.label ?? null,
      is_demo: item.is_demo,
      scopes: item.scopes as Scope[],
      account,
      access_expires_at: pair.access_valid_until,
    }
  }

  /** Notes the use, at most once a minute. It is no reason to fail a request. */
  async function touch({ account, session_id }: SessionCaller): Promise<void> {
    const now = clock.now()
    if (now - (touched.get(session_id) ?? 0) < MINUTE_MS) return
    if (touched.size >= CACHE.maxEntries) touched.clear()
    touched.set(session_id, now)
    await sessions
      .patch({ account_id: account.id, id: session_id })
      .set({ last_used_at: now })
      .where(({ last_used_at }, { lt }) => lt(last_used_at, now - MINUTE_MS))
      .go()
      .catch(() => {})
  }

  /** The account's sessions, newest first; of a demo session only itself is listed (`only`). */
  async function list(accountId: string, only?: string): Promise<AgentSessionSummary[]> {
    const query = sessions.query.main({ account_id: accountId })
    const items =
      only === undefined
        ? (await orUnavailable(query.go({ pages: 'all', consistent: true }))).data
        : [await find({ account_id: accountId, session_id: only })]
    return items
      .filter(item => item !== null)
      .map(summaryOf)
      .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
      .slice(0, MAX_LISTED)
  }

  async function revoke(accountId: string, sessionId: string): Promise<boolean> {
    const item = SESSION_ID.test(sessionId)
      ? await find({ account_id: accountId, session_id: sessionId })
      : null
    if (item === null) return false
    const active = sessions
      .patch({ account_id: accountId, id: sessionId })
      .set({ revoked_at: clock.now(), expires_at: toSeconds(clock.now() + KEPT_MS) })
      .where(({ revoked_at }, { notExists }) => notExists(revoked_at))
    await conditionHeld(active.go())
    cache.clear()
    return true
  }

  /**
   * Revokes the session of an access or refresh token (RFC 7009). Returns which one it was; null for a token
   * that no session has.
   */
  async function revokeByToken(token: string): Promise<SessionLocator | null> {
    const at = locateSession(token, 'aas') ?? locateSession(token, 'aar')
    const item = at === null ? null : await find(at)
    if (at === null || item === null) return null
    const hash = sha256(token)
    const hashes = [...item.pairs.map(({ access_hash }) => access_hash), item.refresh_hash ?? '']
    if (!hashes.some(known => isSame(known, hash))) return null
    await revoke(at.account_id, at.session_id)
    return at
  }

  /** Revokes every session of the account: when it is deleted. */
  async function revokeAll(accountId: string): Promise<void> {
    for (const { id, status } of await list(accountId)) {
      if (status === 'active') await revoke(accountId, id)
    }
  }

  /** Whether a session of the account is neither revoked nor expired now. */
  async function isLive(accountId: string, sessionId: string): Promise<boolean> {
    const item = await find({ account_id: accountId, session_id: sessionId })
    return item !== null && isActive(item)
  }

  async function find({ account_id, session_id }: SessionLocator): Promise<Item | null> {
    const { data } = await orUnavailable(
      sessions.get({ account_id, id: session_id }).go({ consistent: true }),
    )
    return data
  }

  /** The session and its account, by one request to the table. */
  function findWithAccount({ account_id, session_id }: SessionLocator) {
    const { Key } = sessions.get({ account_id, id: session_id }).params<{ Key: ItemKey }>()
    const parse = (item?: Record<string, unknown>): Item | null =>
      item === undefined ? null : sessions.parse({ Item: item }).data
    return readTogether(state, { Key, parse }, accounts.itemRead(account_id))
  }

  function isActive(item: Item): boolean {
    return item.revoked_at === undefined && item.refresh_valid_until > clock.now()
  }

  function summaryOf(item: Item): AgentSessionSummary {
    return {
      id: item.id,
      client_type: item.client_type,
      client_name: item.client_name ?? null,
      client_instance_id: item.client_instance_id ?? null,
      label: item.label ?? null,
      scopes: item.scopes as Scope[],
      status: isActive(item) ? 'active' : 'revoked',
      created_at: item.created_at,
      last_used_at: item.last_used_at,
      access_expires_at: item.pairs.at(-1)?.access_valid_until ?? item.created_at,
      refresh_expires_at: item.refresh_valid_until,
      // A session whose refresh token has expired is over since then.
      revoked_at: item.revoked_at ?? (isActive(item) ? null : item.refresh_valid_until),
    }
  }

  return {
    issue,
    issueDemo,
    byAccessToken,
    refresh,
    list,
    revoke,
    revokeByToken,
    revokeAll,
    isLive,
    forget: cache.clear,
  }
}

export type AgentSessionStore = ReturnType<typeof createAgentSessionStore>

const SESSION_ID = /^ags_[0-9a-f]{16}$/
const NO_CLIENT = { client_name: null, client_instance_id: null, label: null }
