import type { AuthRequestStore } from '#core/access/auth-requests'
import type { FindOAuthClient } from '#core/access/oauth-clients'
import type { PasskeyVerifier } from '#core/access/passkey-verifier'
import type { Passkeys } from '#core/access/passkeys'
import type { IdentityProvider } from '#core/access/provider'
import type { SetupLinks } from '#core/access/setup-links'
import type { ShareLinks } from '#core/access/share-links'
import type { SignInAttempts } from '#core/access/sign-in-attempts'
import type {
  AgentSessionList,
  AuthRequestDecisions,
  BrowserSessions,
  IdentityDirectory,
} from '#core/access/types'
import type { Account } from '#core/accounts/account'
import type { AuditLog } from '#core/accounts/audit'
import type { Billing } from '#core/billing/billing'
import type { AddressGuards } from '#core/limits/address-guards'
import type { Log, Now } from '#core/ports'

/** Names of files below /app/assets/. `views`: the scripts that each view needs beside `script`. */
export type DashboardEntry = { script: string; style: string; views: Record<string, string[]> }

export type PagesServices = {
  browserSessions: BrowserSessions
  authRequests: AuthRequestDecisions & Pick<AuthRequestStore, 'start'>
  oauthClients: FindOAuthClient
  agentSessions: AgentSessionList
  identities: IdentityDirectory
  signInAttempts: SignInAttempts
  setupLinks: SetupLinks
  passkeys: Omit<Passkeys, 'removeAll'>
  /** Null where nobody can sign in with a passkey: on AWS, and at an address for which browsers have none. */
  passkeyVerifier: PasskeyVerifier | null
  shareLinks: Pick<ShareLinks, 'byToken'>
  /** What prints a setup link here, for pages and messages: `run …`. */
  ownerLinkCommand: string
  /** In the order of their buttons. */
  providers: readonly IdentityProvider[]
  accounts: {
    byId(accountId: string): Promise<Account | null>
    hasApiKey(accountId: string): Promise<boolean>
    issueApiKey(accountId: string): Promise<string>
    /** Dollars a month; null removes the cap. */
    setSpendCap(accountId: string, dollars: number | null): Promise<void>
  }
  /** Deletes the account with its sessions, keys and projects. */
  deleteAccount(account: Account): Promise<void>
  audit: Pick<AuditLog, 'record'>
  guards: Pick<AddressGuards, 'countSignIn' | 'countStart' | 'countDocument' | 'networkHash'>
  /** Null where nobody pays: the profile `own`. */
  billing: Billing | null
  /** The files that the page of the dashboard names. Called for its first request. */
  dashboard(): Promise<DashboardEntry>
  /** How often an open view of the dashboard asks again, s. */
  refreshSeconds: number
  /** Whether an open view asks its reads in one call: where each statement costs money. */
  readsTogether: boolean
  /** False: the install has no demo, so no page names one. On AWS the deployer opens it at any time. */
  mayHaveDemo: boolean
  /** Address of the service, without a slash at its end. */
  baseUrl: string
  clock: Now
  log: Log
}
