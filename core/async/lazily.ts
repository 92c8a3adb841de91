/** Makes a value when it is needed first. A promise that failed stays as it is. */
export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Makes a value when it is needed first. After a failure the next call tries again. */
export function remember<T>(make: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | null = null
  return () => {
    known ??= make().catch(error => {
      known = null
      throw error
    })
    return known
  }
}
