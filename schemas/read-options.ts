import * as z from 'zod'
import { caveats } from './caveats.ts'

/** Parameters and response fields that every read has beside its own (docs/api/reads.md). */

/** The header of every read with the fields of the receipt: `name=value` pairs, joined by `; `. */
export const RECEIPT_HEADER = 'X-Footfall-Receipt'

/** A parameter that is true or false, false without it. */
export function flag(name: string, description: string) {
  return z
    .union(
      [z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')],
      `Parameter \`${name}\` must be \`true\` or \`false\`.`,
    )
    .meta({
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema.anyOf
        jsonSchema.type = 'boolean'
      },
    })
    .default(false)
    .meta({ description })
}

/** A POST may have them in its body or in its query string. */
export const readOptions = z.object({
  compact: flag('compact', 'Each list of objects becomes `[[names], [values], …]`.'),
  receipt: flag('receipt', 'Adds `receipt`: what the read cost, and how fresh it is.'),
  sql: flag('sql', 'Adds `sql`: the statements, for DuckDB.'),
})

/** The options of the reads that may be expensive. */
export const expensiveReadOptions = readOptions.extend({
  dry_run: flag('dry_run', 'Runs nothing and returns what the read would cost. It is not counted as a read.'),
})

type Options = z.output<typeof expensiveReadOptions>

export type ReadOptions = Pick<Options, 'receipt' | 'sql'> & Partial<Pick<Options, 'compact' | 'dry_run'>>

export const receipt = z
  .object({
    engine: z.enum(['athena', 'duckdb']).nullable().meta({ description: 'null: no statement was needed' }),
    rows: z.int().nullable().meta({
      description: 'Rows that were read, also of other projects; null: not counted',
    }),
    bytes: z.int().meta({ description: 'Bytes that were read' }),
    ms: z.int().meta({ description: 'How long the read took' }),
    fresh_until: z.int().nullable().meta({
      description:
        'Unix ms: the response knows what arrived before it; on AWS parts may be a minute behind. null: no events',
    }),
    exact: z.boolean().meta({ description: 'false: a limit or a cap cut the response' }),
    cost_usd: z.number().meta({ description: 'What the statements cost; 0 on one machine' }),
    data_from: z.string().nullable().meta({
      description: 'Date of the first event of the project; null without one, and for reads of an account',
    }),
  })
  .meta({ id: 'Receipt' })

export type Receipt = z.infer<typeof receipt>

const statement = z
  .object({
    text: z.string(),
    params: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])),
    tables: z.record(z.string(), z.array(z.string())).meta({
      description: 'The files of each table, as paths below the folder of the lake',
    }),
  })
  .meta({ id: 'Statement' })

export type Statement = z.infer<typeof statement>

/** What a read tells beside its numbers (U67). */
export const warnings = z.array(z.string()).meta({
  id: 'Warnings',
  description: 'Sentences: what was ignored, or what else the caller may not expect',
})

/** The fields that the options add to a response, and that every read may have. */
export const readExtras = {
  receipt: receipt.optional(),
  sql: z.array(statement).optional(),
  warnings: warnings.optional(),
  caveats: z.union([caveats, z.array(z.string())]).optional(),
}

/** A read in another form than its own: with compact=true or dry_run=true. */
export const anyRead = z
  .looseObject({
    dry_run: z.literal(true).optional(),
    estimate: z
      .object({
        rows: z.int().nullable(),
        bytes: z.int().nullable(),
        cost_usd: z.number().nullable().meta({ description: 'null: the engine cannot estimate' }),
      })
      .optional(),
    ...readExtras,
  })
  .meta({
    id: 'AnyRead',
    description:
      'The fields of any read. With `compact=true` each list is `[[names], [values], …]`; with `dry_run=true` there is `estimate` instead of the report',
  })
