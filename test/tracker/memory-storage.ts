/** A browser storage in memory, whose keys a test can see and which can be made to refuse. */
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

/** A storage that the browser has blocked: whatever is asked of it throws. */
export function blockedStorage(): never {
  throw new Error('The operation is insecure')
}
