/** For lakes whose files of tombstones are never lost. */
export const noMending = { mend: async () => false, mendMissing: async () => {} }

/** For maintenance of a lake whose erasures have no receipts. */
export const noReceipts = { onErased: async () => {}, tombstones: noMending }
