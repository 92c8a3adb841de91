import * as z from 'zod'

/** What a caveat means for the numbers that it is about. */
const EFFECTS = [
  'too_low',
  'incomplete',
  'approximate',
  'not_added',
  'other_unit',
  'left_out',
  'undecided',
] as const

/**
 * Why a right number may be misread (docs/api/caveats.md, U81): the closed list of codes, and the effect of
 * each. A new one needs a row of that page.
 */
export const CAVEATS = {
  RANGE_BEFORE_DATA: 'incomplete',
  RUNNING_INTERVAL: 'too_low',
  PARTIAL_FIRST_DAY: 'too_low',
  WINDOW_NOT_OVER: 'too_low',
  LEFT_CUT_COHORT: 'left_out',
  CUT: 'incomplete',
  SAMPLED: 'approximate',
  MIXED_CURRENCIES: 'not_added',
  COUNT_MODE: 'other_unit',
  MOSTLY_MISSING: 'incomplete',
  INTERVAL_INCLUDES_ZERO: 'undecided',
} as const satisfies Record<string, (typeof EFFECTS)[number]>

export type CaveatCode = keyof typeof CAVEATS

const CODES = Object.keys(CAVEATS) as [CaveatCode, ...CaveatCode[]]

export const caveats = z
  .array(z.object({ code: z.enum(CODES), effect: z.enum(EFFECTS), message: z.string() }))
  .meta({ id: 'Caveats', description: 'Why numbers of this response may be misread: /caveats.md' })

export type Caveats = z.infer<typeof caveats>
