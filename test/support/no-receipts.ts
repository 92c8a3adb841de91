import { forgottenUntil, NOTHING_OLD } from '#core/lake/erase/old-tombstones'
import type { Manifest } from '#core/lake/model/manifest'

/** For lakes whose files of tombstones are never lost. */
export const noMending = {
  mend: async () => false,
  mendMissing: async () => {},
  openRenewal: () => async (manifest: Manifest) => manifest,
}

/** For maintenance of a lake whose consumer has read all records, and sets none aside. */
export const nothingOld = {
  oldRecords: {
    forgotten: async (_: unknown, now: number) => forgottenUntil(NOTHING_OLD, now),
    atBest: (now: number) => forgottenUntil(NOTHING_OLD, now),
  },
}

/** For maintenance of a lake whose erasures have no receipts. */
export const noReceipts = { onErased: async () => {}, ...nothingOld }

/** For restorations of a state whose persons were not erased since. */
export const nothingErased = async () => 0
