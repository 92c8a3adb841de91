import type { Account, SignInProvider } from '#core/accounts/account'
import type { Scope } from '#schemas/scopes'

/** What the rooms and pages around sign-in share: the stores of this folder implement these types. */

/** A signed-in browser. Only the SHA-256 of its cookie's token is stored. */
export type BrowserSession = {
  /** The token's hash: an id for the audit log, by which the session is found; useless as a credential. */
  id: string
  account: Account
  /** Hidden field of every form, derived from the token (csrfToken). */
  csrf_token: string
  /** Unix ms. */
  created_at: number
  expires_at: number
}

export type BrowserSessions = {
  /** A new session at sign-in. Returns the token for the cookie; it cannot be read again. */
  create(accountId: string): Promise<{ token: string; expires_at: number }>
  /**
   * The live session of a cookie's token; null when it is unknown, expired or ended, or the account is
   * deleted.
   */
  byToken(token: string): Promise<BrowserSession | null>
  /** Whether a session of the account is neither ended nor expired now, by its id. */
  isLive(accountId: string, id: string): Promise<boolean>
  /**
   * Ends the old session, where there is one, and creates another: at sign-in, so that no token is fixed in
   * advance.
   */
  rotate(oldToken: string | null, accountId: string): Promise<{ token: string; expires_at: number }>
  /** Ends this session alone. An unknown token is no error. */
  end(token: string): Promise<void>
  /**
   * Ends all sessions of the account, within 5 s in other processes, and creates another in the place of this
   * one.
   */
  endOthers(token: string, accountId: string): Promise<{ token: string; expires_at: number }>
}

export const AUTH_REQUEST_STATUSES = ['pending', 'approved', 'exchanged', 'revoked', 'expired'] as const
export type AuthRequestStatus = (typeof AUTH_REQUEST_STATUSES)[number]

/** An MCP client, as it describes itself. */
export type OAuthClient = {
  id: string
  name: string | null
  /** Where its answers may go (schemas/redirect-address.ts). */
  redirect_uris: readonly string[]
}

/** The fields that only an authorization request of an MCP client has (docs/api/mcp-sign-in.md). */
export type OAuthRequest = {
  client_id: string
  /** Address of the service, for `iss` (RFC 9207). */
  issuer: string
  /** What the client wants to have back. */
  state?: string | undefined
  resource?: string | undefined
}

/** A request for an agent session, as the approval page shows it. No secret is in it. */
export type AuthRequest = {
  id: string
  mode: 'interactive' | 'detached'
  status: AuthRequestStatus
  /**
   * Whether it came by POST /agent/auth: the agent then completes the claim itself, and there is no finish
   * code.
   */
  is_claim: boolean
  client_type: string
  client_name: string | null
  client_instance_id: string | null
  label: string | null
  scopes: Scope[]
  /** 8 characters that the human compares with those that the client shows. */
  approval_code: string
  /** Two letters: where the request came from. */
  country: string | null
  /** The network that the request came from, as AddressGuards.networkHash names it at `created_at`. */
  network: string | null
  /** Loopback address, or an https address of an MCP client; null in detached mode. */
  callback_url: string | null
  /** Null unless the request came by GET /oauth/authorize. */
  oauth: OAuthRequest | null
  /** True when the approval must not create a new account (metadata.requires_existing_account). */
  requires_existing_account: boolean
  /** Unix ms. */
  created_at: number
  expires_at: number
}

/** What the browser gets after a decision. */
export type Decision = {
  request: AuthRequest
  /** Where the browser goes next: the callback with its parameters; null in detached mode. */
  redirect_url: string | null
  /** The code that a human pastes (detached mode, approved, no claim), else null. */
  finish_code: string | null
}

/** What the approval page needs of the store of auth requests. */
export type AuthRequestDecisions = {
  /** Null for an unknown id. A request past its end has the status `expired`. */
  get(id: string): Promise<AuthRequest | null>
  /**
   * Throws NOT_FOUND (unknown id) and INVALID_STATE (decided before). An interactive request that expired
   * while the page was open gives a redirect with `error=access_denied`; a detached one throws
   * AUTH_REQUEST_EXPIRED. `onlyScopes`: what the human grants of the scopes that were asked for; default all.
   */
  approve(
    id: string,
    account: Pick<Account, 'id' | 'email'>,
    onlyScopes?: readonly Scope[],
  ): Promise<Decision>
  /**
   * Counts what the human has typed as the end of the approval code, five times at most. An interactive
   * request needs no code: it goes back to the human's own machine. Throws as approve.
   */
  tryCode(id: string, typed: string): Promise<{ isRight: boolean; triesLeft: number }>
  /** As approve; the redirect carries `error=access_denied`. */
  deny(id: string): Promise<Decision>
}

/** One agent session as lists show it (docs/api/account.md, session summary). */
export type AgentSessionSummary = {
  id: string
  client_type: string
  client_name: string | null
  client_instance_id: string | null
  label: string | null
  scopes: Scope[]
  status: 'active' | 'revoked'
  created_at: number
  last_used_at: number
  access_expires_at: number
  refresh_expires_at: number
  revoked_at: number | null
}

/** What the sessions page needs of the store of agent sessions. */
export type AgentSessionList = {
  /** The last 200, newest first, active and revoked. */
  list(accountId: string): Promise<AgentSessionSummary[]>
  /** Returns false when the account has no such session; revoking twice is no error. */
  revoke(accountId: string, sessionId: string): Promise<boolean>
}

/** Who has proved what to an identity provider. */
export type VerifiedIdentity = {
  provider: SignInProvider
  /** The provider's own address, with which `subject` is unique. */
  issuer: string
  subject: string
  /** A verified address; callers refuse identities without one. */
  email: string
  /** The login at the code host, or the name at the identity provider; null when unknown. */
  login: string | null
}

/** What sign-in needs of the accounts room (core/access/identities.ts). */
export type IdentityDirectory = {
  /**
   * The account of an identity; null for none. Throws KnownAddressError when another identity with this
   * e-mail address has an account: whoever controls an address at a second provider must not get the account.
   */
  find(identity: VerifiedIdentity): Promise<Account | null>
  /**
   * As find; else creates a free account (complimentary Pro under the profile `own`). Throws FORBIDDEN where
   * the profile admits listed addresses only and this one is not listed.
   */
  findOrCreate(identity: VerifiedIdentity): Promise<Account>
  /**
   * The account of an address, else a new one, whoever is admitted: for whoever runs the service and names
   * the address.
   */
  ofAddress(email: string): Promise<Account>
  /** Whether an address has an account, or may get one. Only such an address gets an e-mail with a code. */
  mayBeSentCode(email: string): Promise<boolean>
  /** Ties an identity to an account that is signed in already, such as the owner's after the setup link. */
  link(accountId: string, identity: VerifiedIdentity): Promise<void>
}

export type NewAuthRequest = {
  mode: 'interactive' | 'detached'
  client_type: string
  client_name?: string | undefined
  client_instance_id?: string | undefined
  label?: string | undefined
  callback_url?: string | undefined
  code_challenge?: string | undefined
  oauth?: OAuthRequest | undefined
  requires_existing_account?: boolean | undefined
  /** Where the request came from, for the human who decides. */
  country?: string | undefined
  network?: string | undefined
  scopes: Scope[]
}

export type PolledRequest = {
  status: AuthRequestStatus
  exchange_code: string | null
  account_id: string | null
  approved_email: string | null
}

/** An approved request whose secrets were right: a session may be issued for it, once. */
export type WonExchange = {
  request: AuthRequest
  account_id: string
  /** The id of the session to issue. */
  session_id: string
}
