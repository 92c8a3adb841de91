import * as z from 'zod'
import { question } from './fields.ts'

/** Reads of one call. The overview of the dashboard has eight. */
export const MAX_READS = 12
/**
 * What the answers of one call have at most together, in bytes of a JSON text that holds them: Lambda takes 6
 * MB in this form, and the rest of the response needs some.
 */
export const MAX_ANSWERS_BYTES = 5 * 1024 * 1024

const { filter: _, ...shared } = question('Default: that of each read.')

/** POST /reads (docs/api/reads.md). */
export const readsBody = z.object({
  project: z.string().meta({ description: 'Name or id of the project of all reads' }),
  ...shared,
  reads: z
    .array(z.looseObject({ read: z.string() }))
    .min(1, `Field \`reads\` is empty. Send 1 to ${MAX_READS} reads, such as \`{"read": "GET /stats"}\`.`)
    .max(MAX_READS, `Field \`reads\` has more than ${MAX_READS} reads. Send the others in a second call.`)
    .meta({
      description: `1 to ${MAX_READS} reads: \`read\` is the method and the path, the other fields are its parameters`,
    }),
})

export const readsResponse = z.object({
  reads: z
    .array(
      z.object({
        read: z.string(),
        status: z.number().meta({ description: 'The status and the body that the read has alone' }),
        retry_after: z.number().optional().meta({ description: 'Seconds, where `Retry-After` has them' }),
        body: z.record(z.string(), z.unknown()),
      }),
    )
    .meta({ description: 'In the order of the request' }),
})
