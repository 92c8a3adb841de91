import QuickLRU from 'quick-lru'

/**
 * Returns a function that calls `read` once for each key and remembers the results. It remembers at least the
 * last `keepLast` keys, and at most twice as many.
 */
export function rememberLast<Key, T>(
  keepLast: number,
  read: (key: Key) => Promise<T>,
): (key: Key) => Promise<T> {
  const results = new QuickLRU<string, Promise<T>>({ maxSize: keepLast })
  return key => {
    const name = JSON.stringify(key)
    const result = results.get(name) ?? read(key)
    results.set(name, result)
    return result
  }
}
