import * as z from 'zod'

/** Saved views of a project. */
export const MAX_SAVED_VIEWS = 100
const MAX_QUERY_CHARS = 2_048

const NAME_RULE = 'Field `name` takes a text of 1 to 100 characters.'
const QUERY_RULE = `Field \`query\` takes the query string of a view, at most ${MAX_QUERY_CHARS} characters of printable ASCII.`

export const createSavedView = z.object({
  name: z.string(NAME_RULE).min(1, NAME_RULE).max(100, NAME_RULE),
  query: z
    .string(QUERY_RULE)
    .max(MAX_QUERY_CHARS, QUERY_RULE)
    .regex(/^[!-~]*$/, QUERY_RULE)
    .meta({ description: 'The query string of a view of the dashboard', example: 'view=funnel&range=30d' }),
})

export const savedView = createSavedView
  .extend({ id: z.string(), created_at: z.int().meta({ description: 'Unix ms' }) })
  .meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof savedView>

export const savedViewList = z.object({ views: z.array(savedView) })
