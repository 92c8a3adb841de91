import { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { isJsonObject, type JsonObject } from '#core/text/json-object'
import { EVENT_LIMITS } from '#schemas/event'
import { TRAITS_BYTES } from '#schemas/identify'
import { type EmailHasher, normalizeEmail } from './email-hash.ts'
import { jsonWithoutEmails } from './properties.ts'
import type { IdentifyRecord } from './record.ts'
import { type Ok, ok, type Refuse, refuse } from './results.ts'
import type { TrackRequest } from './track-request.ts'
import { refuseLink } from './who-may-link.ts'

/** What a valid identify request says. */
export type Identity = Pick<
  IdentifyRecord,
  'previous_id' | 'user_id' | 'traits' | 'email_hash' | 'has_credential' | 'refused'
>

/**
 * Checks an identify request (docs/api/identity.md) and replaces its e-mail address by the keyed hash, before
 * anything is stored. Refuses with MISSING_FIELDS. Ids that the sender may not link (U57) are no error: the
 * traits count, and the link is counted as refused.
 */
export function checkIdentity({ emails, clock }: { emails: EmailHasher; clock: Now }) {
  return async ({
    trackRequest: { items },
    project,
    isCredentialed: has_credential,
  }: {
    trackRequest: TrackRequest
    project: Project
    isCredentialed: boolean
  }): Promise<Ok<{ identity: Identity; arrivedAt: number }> | Refuse> => {
    const arrivedAt = clock.now()
    try {
      const { email, ...identity } = parseIdentity(items[0] ?? {})
      const email_hash = email === null ? null : await emails.hash(project.id, email)
      const { previous_id, user_id } = identity
      const refused = previous_id === user_id ? null : refuseLink(identity, has_credential)
      const link = refused === null ? { previous_id } : { previous_id: user_id, refused }
      const sent = { ...identity, ...link, email_hash, ...(has_credential && { has_credential }) }
      return ok({ identity: sent, arrivedAt })
    } catch (error) {
      if (error instanceof ApiError) return refuse(error, 'name')
      throw error
    }
  }
}

function parseIdentity({ previous_id, user_id, traits }: JsonObject) {
  const previousId = parseId(previous_id, 'previous_id')
  const userId = parseId(user_id, 'user_id')
  if (traits === undefined || traits === null) {
    if (previousId === userId) {
      throw new ApiError(
        'MISSING_FIELDS',
        'Fields `previous_id` and `user_id` are equal. Send two ids, or add `traits`.',
      )
    }
    return { previous_id: previousId, user_id: userId, traits: null, email: null }
  }
  if (!isJsonObject(traits))
    throw new ApiError('MISSING_FIELDS', 'Field `traits` is not an object. Send an object or leave it out.')
  // Read before the keys with `email` are removed in place.
  const email = typeof traits.email === 'string' ? normalizeEmail(traits.email) : ''
  const json = jsonWithoutEmails(traits, TRAITS_BYTES)
  if (json === null)
    throw new ApiError(
      'MISSING_FIELDS',
      `Field \`traits\` has more than ${TRAITS_BYTES} bytes as JSON. Send fewer.`,
    )
  return {
    previous_id: previousId,
    user_id: userId,
    traits: JSON.parse(json) as JsonObject,
    email: email === '' ? null : email,
  }
}

function parseId(sent: unknown, field: string): string {
  if (typeof sent !== 'string' || sent === '' || sent.length > EVENT_LIMITS.idChars) {
    throw new ApiError(
      'MISSING_FIELDS',
      `Field \`${field}\` is not an id. Send a text of 1 to ${EVENT_LIMITS.idChars} characters.`,
    )
  }
  return sent.toWellFormed()
}
