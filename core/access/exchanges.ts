import type { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import { isSame, randomId, randomSecret, type SessionLocator, sha256 } from '#core/secrets/tokens'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { authRequestErrors } from './auth-request-errors.ts'
import { checkVerifier, isVerifier } from './code-verifier.ts'
import { authRequestEntity, type AuthRequestItem as Item } from './entities.ts'
import type { AuthRequest, AuthRequestStatus, WonExchange } from './types.ts'

/** What a client sends with an authorization code (RFC 6749, 4.1.3). */
export type SentCode = {
  code: string
  client_id: string
  redirect_uri: string
  code_verifier: string | undefined
  resource: string | undefined
}

type ExchangeServices = StateTable & {
  clock: Now
  find(id: string): Promise<Item | null>
  statusOf(item: Item): AuthRequestStatus
  requestOf(item: Item): AuthRequest
}

/**
 * How long after the first use of a code the same request is no alarm, ms. A client may send it several times
 * at once, or again when a response was lost; it proves by its verifier that it is the client.
 */
const REPEAT_MS = 10_000

const CLAIM_TOKEN = /^aac_([0-9a-f]{32})[0-9a-f]{64}$/
const AUTHORIZATION_CODE = /^aae_([0-9a-f]{32})[0-9a-f]{64}$/

/**
 * How an approved request becomes a session, once: by its exchange code, its claim token or its authorization
 * code.
 */
export function createExchanges({ find, statusOf, requestOf, clock, ...state }: ExchangeServices) {
  const requests = authRequestEntity(state)

  /**
   * Uses up the exchange code. Of several calls one wins; the others get AUTH_REQUEST_ALREADY_EXCHANGED.
   * Throws INVALID_STATE, AUTH_REQUEST_REVOKED, AUTH_REQUEST_EXPIRED, INVALID_EXCHANGE_CODE and
   * INVALID_CODE_VERIFIER.
   */
  async function exchange(id: string, code: string, verifier: string | undefined): Promise<WonExchange> {
    const item = await find(id)
    if (item === null || item.is_claim || item.oauth !== undefined) throw authRequestErrors.wrongCode()
    const status = statusOf(item)
    if (status === 'pending') throw authRequestErrors.notReady()
    if (status === 'revoked') throw authRequestErrors.denied()
    if (status === 'expired') throw authRequestErrors.expired()
    if (!isSame(item.exchange_hash ?? '', sha256(code))) throw authRequestErrors.wrongCode()
    if (status === 'exchanged') throw authRequestErrors.alreadyExchanged()
    checkVerifier(item.code_challenge, verifier)
    return win(item, authRequestErrors.alreadyExchanged)
  }

  /** A claim by its token: its state, or null for an unknown token. */
  async function claim(claimToken: string): Promise<AuthRequest | null> {
    const item = await findClaim(claimToken)
    return item === null ? null : requestOf(item)
  }

  /**
   * Uses up an approved claim. Throws NOT_FOUND, AUTHORIZATION_PENDING, ACCESS_DENIED, CLAIM_EXPIRED,
   * CLAIM_ALREADY_COMPLETED and INVALID_CODE_VERIFIER.
   */
  async function completeClaim(claimToken: string, verifier: string | undefined): Promise<WonExchange> {
    const item = await findClaim(claimToken)
    if (item === null) throw authRequestErrors.unknownClaim()
    const status = statusOf(item)
    if (status === 'pending') throw authRequestErrors.claimPending()
    if (status === 'revoked') throw authRequestErrors.claimDenied()
    if (status === 'expired') throw authRequestErrors.claimExpired()
    if (status === 'exchanged') throw authRequestErrors.alreadyCompleted()
    checkVerifier(item.code_challenge, verifier)
    return win(item, authRequestErrors.alreadyCompleted)
  }

  /**
   * Uses up an authorization code. A second use is an alarm, because one of the two has stolen the code:
   * `onReuse` gets the session of the first, to revoke it (RFC 6749, 4.1.2). The same request of the client
   * itself, within REPEAT_MS, is refused without an alarm. Throws INVALID_EXCHANGE_CODE,
   * AUTH_REQUEST_EXPIRED, AUTH_REQUEST_ALREADY_EXCHANGED, INVALID_CODE_VERIFIER and invalid_target.
   */
  async function redeemCode(
    sent: SentCode,
    onReuse: (session: SessionLocator) => Promise<void>,
  ): Promise<WonExchange> {
    const item = await find(codeIdOf(sent.code))
    if (item?.oauth === undefined || !isSame(item.exchange_hash ?? '', sha256(sent.code))) {
      throw authRequestErrors.wrongCode()
    }
    const { account_id, session_id, oauth } = item
    const status = statusOf(item)
    if (status === 'exchanged' && account_id !== undefined && session_id !== undefined) {
      if (isRepeated(item, sent)) throw authRequestErrors.alreadyExchanged()
      // Before the session is revoked: who is just issuing it looks for this note afterwards.
      await orUnavailable(requests.patch({ id: item.id }).set({ is_reused: true }).go())
      await onReuse({ account_id, session_id })
      throw authRequestErrors.alreadyExchanged()
    }
    if (status !== 'approved') throw authRequestErrors.expired()
    const isSameClient = sent.client_id === oauth.client_id && sent.redirect_uri === item.callback_url
    if (!isSameClient) throw authRequestErrors.otherClient()
    checkVerifier(item.code_challenge, sent.code_verifier)
    const isSameResource = oauth.resource === undefined || sent.resource === oauth.resource
    if (sent.resource !== undefined && !isSameResource) throw authRequestErrors.otherResource()
    return win(item, authRequestErrors.alreadyExchanged)
  }

  /** Whether the client itself sends the request of the first use again, at once. */
  function isRepeated(item: Item, sent: SentCode): boolean {
    if (item.exchanged_at === undefined || item.exchanged_at + REPEAT_MS <= clock.now()) return false
    return (
      sent.client_id === item.oauth?.client_id &&
      sent.redirect_uri === item.callback_url &&
      item.code_challenge !== undefined &&
      isVerifier(item.code_challenge, sent.code_verifier)
    )
  }

  /** Whether somebody has used the code of the request a second time. */
  async function isReused(id: string): Promise<boolean> {
    return (await find(id))?.is_reused === true
  }

  /**
   * Makes the request one that is exchanged. Of several calls at once one succeeds; the others throw `lost`.
   */
  async function win(item: Item, lost: () => ApiError): Promise<WonExchange> {
    const exchange_id = randomSecret()
    const session_id = randomId('ags')
    const update = requests
      .patch({ id: item.id })
      .set({ status: 'exchanged', exchange_id, session_id, exchanged_at: clock.now() })
      .where((attributes, { eq }) => eq(attributes.status, 'approved'))
    // A repeated write whose first response was lost finds its own effect: then this call has won after all.
    const isWon = (await conditionHeld(update.go())) || (await find(item.id))?.exchange_id === exchange_id
    if (!isWon || item.account_id === undefined) throw lost()
    const request = { ...requestOf(item), status: 'exchanged' as const }
    return { request, account_id: item.account_id, session_id }
  }

  async function findClaim(token: string): Promise<Item | null> {
    const item = await find(claimIdOf(token))
    return item?.is_claim && isSame(item.poll_hash, sha256(token)) ? item : null
  }

  return { exchange, claim, completeClaim, redeemCode, isReused }
}

/** The id of the claim that a token names, which is no secret; `unknown` for a text of another form. */
export function claimIdOf(token: string): string {
  return requestIdOf(CLAIM_TOKEN, token)
}

/** The same of an authorization code. */
export function codeIdOf(code: string): string {
  return requestIdOf(AUTHORIZATION_CODE, code)
}

function requestIdOf(form: RegExp, token: string): string {
  const id = form.exec(token)?.[1]
  return id === undefined ? 'unknown' : `req_${id}`
}
