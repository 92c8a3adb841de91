import { APP_SKETCHES } from './apps.ts'
import { HAPPENING_SKETCHES } from './happenings.ts'
import { LATER_SKETCHES } from './later.ts'
import { MEETING_SKETCHES } from './meeting.ts'
import { PLACE_SKETCHES } from './places-and-people.ts'
import { PUBLIC_SKETCHES } from './public.ts'
import { READING_SKETCHES } from './reading.ts'
import { SELLING_SKETCHES } from './selling.ts'
import type { SketchedSite } from './sketch-site.ts'
import { SOFTWARE_SKETCHES } from './software.ts'

/** Sites that were sketched, with their wishes, before the rules were mended by them. */
export const SKETCHES: readonly SketchedSite[] = [
  ...PUBLIC_SKETCHES,
  ...HAPPENING_SKETCHES,
  ...SELLING_SKETCHES,
  ...PLACE_SKETCHES,
  ...SOFTWARE_SKETCHES,
  ...APP_SKETCHES,
  ...READING_SKETCHES,
  ...MEETING_SKETCHES,
  ...LATER_SKETCHES,
]
