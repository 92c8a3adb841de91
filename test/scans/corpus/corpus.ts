import type { CorpusSite } from './corpus-site.ts'
import { HARD_SITES } from './hard.ts'
import { MAKER_SITES } from './makers.ts'
import { PEOPLE_SITES } from './people.ts'
import { PLACE_SITES } from './places.ts'
import { READING_SITES } from './reading.ts'
import { SHOP_SITES } from './shops.ts'
import { SOFTWARE_SITES } from './software.ts'
import { UNSEEN_SITES } from './unseen.ts'

/** All sites of the corpus. Every one was written for these tests. */
export const CORPUS: readonly CorpusSite[] = [
  ...SOFTWARE_SITES,
  ...SHOP_SITES,
  ...READING_SITES,
  ...PEOPLE_SITES,
  ...PLACE_SITES,
  ...MAKER_SITES,
  ...HARD_SITES,
  ...UNSEEN_SITES,
]
