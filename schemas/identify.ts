import * as z from 'zod'
import { EVENT_LIMITS } from './event.ts'

/** Largest traits of an identify request, in UTF-8 bytes of their JSON. */
export const TRAITS_BYTES = 8192

const id = z.string().min(1).max(EVENT_LIMITS.idChars)

/** Only the OpenAPI document uses this schema: core/ingest/identify-request.ts checks the request. */
export const identifyBody = z
  .object({
    token: z.string().meta({ description: "The project's public token, aat_…" }),
    previous_id: id.meta({ description: 'The id that events had until now', example: 'anon_7f3a91c2' }),
    user_id: id.meta({
      description: 'The id that they get. It may equal `previous_id` if there are traits.',
      example: 'user_42',
    }),
    traits: z
      .record(z.string(), z.unknown())
      .nullish()
      .meta({
        description: `What lookups show of the user, at most ${TRAITS_BYTES} bytes as JSON. Of \`email\` only a keyed hash is stored; other keys that contain \`email\` are not stored.`,
      }),
  })
  .meta({ id: 'Identify' })
