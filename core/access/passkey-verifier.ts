import type { NewPasskey, UsedPasskey } from '#schemas/passkeys'

/** The site that passkeys are of. Both follow from the address of the service, never from a request. */
export type RelyingParty = {
  /** Its host name. */
  id: string
  /** Where its pages are: scheme, host name and port. */
  origin: string
}

/** Signatures that are accepted, as COSE numbers: EdDSA, ES256 and RS256. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257]

/** Why a passkey is refused. It is one text for every cause, so that nobody learns which passkeys exist. */
export const PASSKEY_REFUSED =
  'This passkey was not accepted. It may be unknown here or removed, or its page was open for too long. Start again, or sign in another way.'

/** What is kept of a passkey to know it again. Nothing of it is secret. */
export type PasskeyKey = {
  /** base64url. */
  credential_id: string
  /** In the form of COSE, base64url. */
  public_key: string
  /** How often it has signed, as it says itself; 0 where it does not count. */
  counter: number
  /** How a browser reaches it, such as `usb` or `internal`. */
  transports: string[]
}

/**
 * Judges what browsers return of passkeys. Every method throws SignInError when the challenge, the origin,
 * the site or the signature is not the expected one, when the person was not verified (a PIN, a finger, a
 * face), or when the counter of the passkey went back.
 */
export type PasskeyVerifier = {
  readonly relyingParty: RelyingParty
  /** The key of a new passkey. */
  readNew(answer: NewPasskey, challenge: string): Promise<PasskeyKey>
  /** The counter of a passkey that has signed the challenge. */
  readCounter(answer: UsedPasskey, challenge: string, key: PasskeyKey): Promise<number>
}

const LOCAL_NAME = /^([\w-]+\.)*localhost$/
const IP_ADDRESS = /^\[|^[\d.]+$/

/**
 * The site of an address, or null where browsers have no passkeys: they want https and a host name, or
 * localhost, and know no site that is an IP address.
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(baseUrl)
  const works = protocol === 'https:' ? !IP_ADDRESS.test(hostname) : LOCAL_NAME.test(hostname)
  return works ? { id: hostname, origin } : null
}
