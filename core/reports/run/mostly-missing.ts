import { warnOf } from './caveats.ts'
import type { ReadNotes } from './notes.ts'

type Missing = {
  /** The field of `by`, and the one to send instead. */
  by: string
  instead: string
  /** All that are grouped; those without the field; those of them that have the other one. */
  all: number
  missing: number
  have: number
}

/** Says which field has values where more than half lack the asked one (docs/api/caveats.md, U118). */
export function noteMissing(notes: ReadNotes, { by, instead, all, missing, have }: Missing): void {
  if (missing * 2 <= all || have === 0 || have < all - missing) return
  warnOf(
    notes,
    'MOSTLY_MISSING',
    `${missing} of ${all} have no \`${by}\`, and ${have} of these have \`${instead}\`. Send \`by=${instead}\` to see them.`,
  )
}
