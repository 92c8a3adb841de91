import type { Account } from '#core/accounts/account'
import type { Now } from '#core/ports'
import { approvalCode, isSame, randomId, randomSecret, sha256 } from '#core/secrets/tokens'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { SCOPES, type Scope } from '#schemas/scopes'
import { authRequestErrors } from './auth-request-errors.ts'
import { approvedRedirect, deniedRedirect } from './callback-url.ts'
import { authRequestEntity, type AuthRequestItem as Item } from './entities.ts'
import { createExchanges } from './exchanges.ts'
import { openSealed, publicKeyOf, sealFor } from './sealed-code.ts'
import type {
  AuthRequest,
  AuthRequestDecisions,
  AuthRequestStatus,
  Decision,
  NewAuthRequest,
  PolledRequest,
} from './types.ts'

const MINUTE_MS = 60_000
/** How long a human may take (docs/api/agent-sessions.md). */
const LIFE_MS = { interactive: 30 * MINUTE_MS, detached: 24 * 60 * MINUTE_MS, claim: 30 * MINUTE_MS }
/** How long an authorization code works; RFC 6749 recommends ten minutes at most. */
const CODE_MS = 10 * MINUTE_MS
/** How long a dead request still says what became of it. */
const KEPT_MS = 7 * 24 * 60 * MINUTE_MS
/** How often a human may type the end of the code. */
const CODE_TRIES = 5
/** How many characters the human types: those that the page does not show. */
export const CODE_END = 4
const REQUEST_ID = /^req_[0-9a-f]{32}$/

/**
 * Requests for agent sessions, from the start to the exchange (docs/api/agent-sessions.md), and claims, which
 * are the same (docs/api/discovery.md).
 */
export function createAuthRequestStore({ clock, ...state }: StateTable & { clock: Now }) {
  const requests = authRequestEntity(state)

  /** Starts a request. The poll token cannot be read again. */
  async function start(wanted: NewAuthRequest): Promise<{ request: AuthRequest; poll_token: string }> {
    const poll_token = `aap_${randomSecret()}`
    const id = randomId('req', 16)
    return { request: await create(id, wanted, poll_token, LIFE_MS[wanted.mode], false), poll_token }
  }

  /** Starts a claim: a detached request whose claim token takes the place of poll token and exchange code. */
  async function startClaim(
    wanted: Omit<NewAuthRequest, 'mode' | 'callback_url'>,
  ): Promise<{ request: AuthRequest; claim_token: string }> {
    const id = randomId('req', 16)
    const claim_token = `aac_${id.slice('req_'.length)}${randomSecret()}`
    const request = await create(id, { ...wanted, mode: 'detached' }, claim_token, LIFE_MS.claim, true)
    return { request, claim_token }
  }

  async function create(
    id: string,
    wanted: NewAuthRequest,
    token: string,
    lifeMs: number,
    is_claim: boolean,
  ): Promise<AuthRequest> {
    const now = clock.now()
    const { requires_existing_account = false, ...fields } = wanted
    const item = {
      ...fields,
      id,
      is_claim,
      status: 'pending' as const,
      approval_code: approvalCode(),
      requires_existing_account,
      poll_hash: sha256(token),
      poll_public_key: publicKeyOf(token),
      created_at: now,
      valid_until: now + lifeMs,
      expires_at: Math.ceil((now + lifeMs + KEPT_MS) / 1_000),
    }
    await orUnavailable(requests.put(item).go())
    return requestOf(item)
  }

  async function get(id: string): Promise<AuthRequest | null> {
    const item = await find(id)
    return item === null ? null : requestOf(item)
  }

  async function approve(
    id: string,
    account: Pick<Account, 'id' | 'email'>,
    onlyScopes: readonly Scope[] = SCOPES,
  ): Promise<Decision> {
    const item = await decidable(id)
    if (item.status === 'expired') return expiredDecision(item)
    const scopes = (item.scopes as Scope[]).filter(scope => onlyScopes.includes(scope))
    // The token endpoint gets the code of an MCP client alone, so that code names its request.
    const locator = item.oauth === undefined ? '' : id.slice('req_'.length)
    const code = `aae_${locator}${randomSecret()}`
    const valid_until = Math.min(item.valid_until, clock.now() + CODE_MS)
    const approved = {
      ...(item.oauth !== undefined && { valid_until }),
      status: 'approved' as const,
      scopes,
      account_id: account.id,
      approved_email: account.email,
      exchange_hash: sha256(code),
      exchange_sealed: sealFor(item.poll_public_key, code),
    }
    await decide(id, approved)
    const request: AuthRequest = { ...requestOf(item), scopes, status: 'approved' }
    return {
      request,
      redirect_url: approvedRedirect(request, code),
      finish_code: request.mode === 'detached' && !request.is_claim ? code : null,
    }
  }

  async function tryCode(id: string, typed: string): Promise<{ isRight: boolean; triesLeft: number }> {
    const item = await decidable(id)
    // `approve` says what became of an expired request.
    if (item.mode === 'interactive' || item.status === 'expired') return { isRight: true, triesLeft: 0 }
    let tries = 0
    // Counted before the comparison, so that no more than five are compared however many come at once.
    const counted = requests
      .patch({ id })
      .add({ code_tries: 1 })
      .where(
        ({ status, code_tries }, { eq, lt, notExists }) =>
          `${eq(status, 'pending')} AND (${notExists(code_tries)} OR ${lt(code_tries, CODE_TRIES)})`,
      )
      .go({ response: 'all_new' })
      .then(({ data }) => {
        tries = data?.code_tries ?? CODE_TRIES
      })
    if (!(await conditionHeld(counted))) return { isRight: false, triesLeft: 0 }
    const code = typed.replace(/[\s-]/g, '').toUpperCase()
    const isRight = isSame(code, item.approval_code) || isSame(code, item.approval_code.slice(-CODE_END))
    return { isRight, triesLeft: CODE_TRIES - tries }
  }

  async function deny(id: string): Promise<Decision> {
    const item = await decidable(id)
    if (item.status === 'expired') return expiredDecision(item)
    await decide(id, { status: 'revoked' })
    const request: AuthRequest = { ...requestOf(item), status: 'revoked' }
    return { request, redirect_url: deniedRedirect(request), finish_code: null }
  }

  /** The item when it is pending or has just expired. */
  async function decidable(id: string): Promise<Item | (Omit<Item, 'status'> & { status: 'expired' })> {
    const item = await find(id)
    if (item === null) throw authRequestErrors.unknown()
    const status = statusOf(item)
    if (status === 'pending') return item
    if (status === 'expired' && item.status === 'pending') return { ...item, status }
    throw authRequestErrors.alreadyDecided()
  }

  async function decide(id: string, decision: Partial<Item> & Pick<Item, 'status'>): Promise<void> {
    const undecided = requests
      .patch({ id })
      .set(decision)
      .where((item, { eq }) => eq(item.status, 'pending'))
    if (!(await conditionHeld(undecided.go()))) throw authRequestErrors.alreadyDecided()
  }

  function expiredDecision(item: Omit<Item, 'status'>): Decision {
    const request: AuthRequest = { ...requestOf({ ...item, status: 'pending' }), status: 'expired' }
    const redirect_url = deniedRedirect(request)
    if (redirect_url === null) throw authRequestErrors.expired()
    return { request, redirect_url, finish_code: null }
  }

  /**
   * What a client that polls is told. Only a detached request gives the exchange code (U64): in interactive
   * mode it goes to the callback alone. Throws INVALID_POLL_TOKEN, also for an unknown id.
   */
  async function poll(id: string, pollToken: string): Promise<PolledRequest> {
    const item = await find(id)
    if (item === null || item.is_claim || !isSame(item.poll_hash, sha256(pollToken))) {
      throw authRequestErrors.wrongPollToken()
    }
    const status = statusOf(item)
    return {
      status,
      exchange_code:
        status === 'approved' && item.mode === 'detached' && item.exchange_sealed !== undefined
          ? openSealed(pollToken, item.exchange_sealed)
          : null,
      account_id: item.account_id ?? null,
      approved_email: item.approved_email ?? null,
    }
  }

  async function find(id: string): Promise<Item | null> {
    if (!REQUEST_ID.test(id)) return null
    const { data } = await orUnavailable(requests.get({ id }).go({ consistent: true }))
    return data !== null && data.expires_at * 1_000 > clock.now() ? data : null
  }

  function statusOf(item: Item): AuthRequestStatus {
    const isOpen = item.status === 'pending' || item.status === 'approved'
    return isOpen && item.valid_until <= clock.now() ? 'expired' : item.status
  }

  function requestOf(item: Item): AuthRequest {
    return {
      id: item.id,
      mode: item.mode,
      status: statusOf(item),
      is_claim: item.is_claim,
      client_type: item.client_type,
      client_name: item.client_name ?? null,
      client_instance_id: item.client_instance_id ?? null,
      label: item.label ?? null,
      scopes: item.scopes as Scope[],
      approval_code: item.approval_code,
      country: item.country ?? null,
      network: item.network ?? null,
      callback_url: item.callback_url ?? null,
      oauth: item.oauth ?? null,
      requires_existing_account: item.requires_existing_account,
      created_at: item.created_at,
      expires_at: item.valid_until,
    }
  }

  const decisions: AuthRequestDecisions = { get, approve, tryCode, deny }
  return {
    ...decisions,
    start,
    startClaim,
    poll,
    ...createExchanges({ ...state, clock, find, statusOf, requestOf }),
  }
}

export type AuthRequestStore = ReturnType<typeof createAuthRequestStore>
