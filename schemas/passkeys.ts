import * as z from 'zod'

/**
 * What a browser returns of a passkey: the JSON form of `PublicKeyCredential` (Web Authentication, level 3).
 */

/** Longest id of a credential, bytes: a rule of Web Authentication. */
const MAX_ID_BYTES = 1_023
/** As base64url, which has four characters for three bytes. */
const base64url = (maxBytes: number) =>
  z
    .string()
    .min(1)
    .max(Math.ceil((maxBytes * 4) / 3))
    .regex(/^[\w-]+$/)

const id = base64url(MAX_ID_BYTES)
const shared = { id, rawId: id, type: z.literal('public-key') }
const clientDataJSON = base64url(2_000)

/** The answer of `navigator.credentials.create`. */
export const newPasskey = z.object({
  ...shared,
  response: z.object({
    clientDataJSON,
    attestationObject: base64url(8_000),
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
})
export type NewPasskey = z.infer<typeof newPasskey>

/** The answer of `navigator.credentials.get`. Without `userHandle` nobody knows whose passkey it is. */
export const usedPasskey = z.object({
  ...shared,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64url(2_000),
    signature: base64url(1_000),
    userHandle: base64url(64),
  }),
})
export type UsedPasskey = z.infer<typeof usedPasskey>
