import type { IdentityView } from '#core/identity/identity-view'
import type { ReadNotes } from './notes.ts'

/** Warns when persons are read in parts, because links files are lost and are being made again. */
export function warnOfLostLinks({ isPartial }: Pick<IdentityView, 'isPartial'>, notes: ReadNotes): void {
  if (!isPartial) return
  notes.isExact = false
  notes.warnings.add(
    'The answer is partial: links of users are being made again, and until then some users count once for each of their ids. Repeat the read in some minutes.',
  )
}
