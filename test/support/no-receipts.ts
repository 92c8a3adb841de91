/** For maintenance of a lake whose erasures have no receipts. */
export const noReceipts = { onErased: async () => {}, onConverted: async () => {} }
