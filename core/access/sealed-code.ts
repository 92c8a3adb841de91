import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

/**
 * Keeps an exchange code so that only the holder of the poll token can read it: the code is made when a human
 * approves, where nobody sends the poll token, and the table must not hold a secret in the clear. The poll
 * token is the private key of an X25519 pair; the table holds the public key, and later the code sealed for
 * it.
 */

/** DER of a private X25519 key up to its 32 bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')
const KEY_BYTES = 32
const TAG_BYTES = 16
/** Each shared key seals one text, so the nonce may be constant. */
const NONCE = Buffer.alloc(12)

/** The public half of the pair whose private half is the secret token, in base64url. */
export function publicKeyOf(token: string): string {
  return rawPublicKey(createPublicKey(privateKeyOf(token))).toString('base64url')
}

/** Seals a text for the holder of the token that belongs to the public key. */
export function sealFor(publicKey: string, text: string): string {
  const ephemeral = generateKeyPairSync('x25519')
  const recipient = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'base64url')]),
    format: 'der',
    type: 'spki',
  })
  const key = sharedKey(diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient }))
  const cipher = createCipheriv('aes-256-gcm', key, NONCE)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([rawPublicKey(ephemeral.publicKey), cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Opens what sealFor has sealed. Throws for another token. */
export function openSealed(token: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const sender = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, bytes.subarray(0, KEY_BYTES)]),
    format: 'der',
    type: 'spki',
  })
  const key = sharedKey(diffieHellman({ privateKey: privateKeyOf(token), publicKey: sender }))
  const cipher = createDecipheriv('aes-256-gcm', key, NONCE)
  cipher.setAuthTag(bytes.subarray(KEY_BYTES, KEY_BYTES + TAG_BYTES))
  const text = Buffer.concat([cipher.update(bytes.subarray(KEY_BYTES + TAG_BYTES)), cipher.final()])
  return text.toString('utf8')
}

function privateKeyOf(token: string): KeyObject {
  // Not the hash that the table holds of the token.
  const seed = createHash('sha256').update(`x25519 ${token}`).digest()
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES)
}

function sharedKey(secret: Buffer): Buffer {
  return createHash('sha256').update('exchange code').update(secret).digest()
}
