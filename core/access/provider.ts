import type { VerifiedIdentity } from './types.ts'

/**
 * The secrets of one sign-in. All follow from the value of one cookie, so that the state table keeps only its
 * hash.
 */
export type SignInSecrets = { state: string; nonce: string; codeVerifier: string }

/**
 * Somebody else's sign-in page, or that of codes by e-mail, reached by the authorization code flow with PKCE
 * and state, and with a nonce where the provider speaks OpenID Connect. providers/ implements it.
 */
export type IdentityProvider = {
  /** Part of our own addresses: `idp` is the default provider, `code_host` the second one, `email` a code. */
  readonly id: VerifiedIdentity['provider']
  /** What a button calls it. */
  readonly label: string
  /**
   * Where the browser goes. `asksForAccount`: the provider asks who signs in, also if it knows the browser.
   * Throws ApiError UNAVAILABLE when the provider cannot be reached.
   */
  authorizationUrl(secrets: SignInSecrets, redirectUri: string, asksForAccount?: boolean): Promise<URL>
  /**
   * Who came back, by the address that the provider sent the browser to. Throws SignInError when the person
   * refused, the response is not ours or the provider has no verified address of theirs, and ApiError
   * UNAVAILABLE.
   */
  identify(callback: URL, secrets: SignInSecrets): Promise<VerifiedIdentity>
}

/** Why a sign-in did not succeed. The message is for the person, and holds no secret. */
export class SignInError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SignInError'
  }
}

/**
 * The e-mail address has an account that signs in another way. That way comes first; then this one can be
 * added to the account.
 */
export class KnownAddressError extends SignInError {
  constructor() {
    super(
      'An account with this e-mail address signs in another way. Sign in that way first, then add this one.',
    )
    this.name = 'KnownAddressError'
  }
}
