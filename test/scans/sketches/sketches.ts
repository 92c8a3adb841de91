import { PLACE_SKETCHES } from './places-and-people.ts'
import { PUBLIC_SKETCHES } from './public.ts'
import { READING_SKETCHES } from './reading.ts'
import { SELLING_SKETCHES } from './selling.ts'
import type { SketchedSite } from './sketch-site.ts'
import { SOFTWARE_SKETCHES } from './software.ts'

/** Sites that were sketched, with their wishes, before the rules that they judge. */
export const SKETCHES: readonly SketchedSite[] = [
  ...PUBLIC_SKETCHES,
  ...SELLING_SKETCHES,
  ...PLACE_SKETCHES,
  ...SOFTWARE_SKETCHES,
  ...READING_SKETCHES,
]
