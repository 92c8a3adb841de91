import * as z from 'zod'
import { type AskedCondition, type Condition, faultOf, segmentsIn } from './conditions.ts'

/** Segments of a project: conditions with a name (docs/api/segments.md). */
export const MAX_SEGMENTS = 100
/** Characters of the JSON of a condition: all segments of a project are listed at once. */
const MAX_CONDITION_CHARS = 8_192

const TITLE_RULE = 'Field `title` takes a text of 1 to 100 characters.'
const WHERE_RULE = `Field \`where\` takes a condition whose JSON has at most ${MAX_CONDITION_CHARS} characters.`
const NO_NAMES = 'Field `where` of a segment names no other segment. Write the condition of that one instead.'

/** A condition without names of segments, so that none can lead back to itself. */
const condition = z
  .unknown()
  .transform((given, context) => {
    const isShort = given !== undefined && JSON.stringify(given).length <= MAX_CONDITION_CHARS
    const fault = isShort ? (faultOf(given) ?? faultOfNames(given as AskedCondition)) : WHERE_RULE
    if (fault === null) return given as Condition
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })
  .meta({
    override: { type: 'object' },
    description: `A condition: /conditions.md. Its JSON has at most ${MAX_CONDITION_CHARS} characters`,
    example: { field: 'country', op: 'eq', value: 'DE' },
  })

function faultOfNames(condition: AskedCondition): string | null {
  return segmentsIn(condition).length === 0 ? null : NO_NAMES
}

export const putSegment = z.object({
  where: condition,
  title: z.string(TITLE_RULE).min(1, TITLE_RULE).max(100, TITLE_RULE).optional(),
})

export const segment = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    where: z.looseObject({}).meta({ description: 'The condition' }),
    updated_at: z.int().meta({ description: 'Unix ms' }),
    etag: z.string().meta({ description: 'The version, for `If-Match`' }),
  })
  .meta({ id: 'Segment' })

/** A segment as it is stored. */
export type StoredSegment = {
  name: string
  title: string | null
  where: Condition
  /** Unix ms. */
  updated_at: number
}

export const segmentList = z.object({ segments: z.array(segment) })
