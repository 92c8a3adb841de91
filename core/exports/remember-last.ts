import QuickLRU from 'quick-lru'

/**
 * The function, which is called once for each argument as long as that is one of the last `keepLast` ones, or
 * up to twice as many.
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
