/** A browser storage in memory. Tests can read its entries and replace its methods. */
export function memoryStorage(initial: Record<string, string> = {}) {
  const entries = new Map(Object.entries(initial))
  return {
    entries,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => {
      entries.set(key, value)
    },
  }
}

/** Replaces a storage that the browser has blocked: access to it throws. */
export function blockedStorage(): never {
  throw new Error('The operation is insecure')
}
