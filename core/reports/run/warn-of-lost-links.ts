import type { IdentityView } from '#core/identity/identity-view'
import type { OpenTraits } from '#core/lake/model/open-traits'
import { traitKey } from '#schemas/property-names'
import type { ReadNotes } from './notes.ts'

/** Warns when persons are read in parts, because links files are lost and are being made again. */
export function warnOfLostLinks({ isPartial }: Pick<IdentityView, 'isPartial'>, notes: ReadNotes): void {
  if (!isPartial) return
  notes.isExact = false
  notes.warnings.add(
    'The answer is partial: links of users are being made again, and until then some users count once for each of their ids. Repeat the read in some minutes.',
  )
}

/** Warns when traits are missing, because their files are lost or not written yet. */
export function warnOfLostTraits(traits: OpenTraits | undefined, notes: ReadNotes): void {
  if (traits?.isPartial !== true) return
  notes.isExact = false
  notes.warnings.add(
    'The answer is partial: the files of traits are being written, and until then some users have no traits. Repeat the read in a minute.',
  )
}

/** Says of a field by which nobody has a group that no person of the answer has such a trait. */
export function warnOfMissingTrait(field: string, notes: ReadNotes): void {
  if (traitKey(field) === undefined) return
  notes.warnings.add(
    `Nobody in the answer has \`${field}\`. Look at the \`traits\` of a person for its name. A trait that is new counts after a minute or more.`,
  )
}
