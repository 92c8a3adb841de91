/** A browser storage with the keys of one project. It never throws. */
export type Store = {
  get(name: string): string | null
  set(name: string, value: string): void
}

type Backing = { getItem(key: string): string | null; setItem(key: string, value: string): void }

/**
 * Opens a storage with the key prefix `aa:<scope>:`. Values that the browser does not store (a blocked or full storage) stay
 * in memory for the life of the page. `backing` is a function, because even reading `window.localStorage` may throw.
 */
export function openStore(backing: () => Backing, scope: string): Store {
  const prefix = `aa:${encodeURIComponent(scope)}:`
  const memory = new Map<string, string>()
  return {
    get(name) {
      const memoryValue = memory.get(name)
      if (memoryValue !== undefined) return memoryValue
      try {
        return backing().getItem(prefix + name)
      } catch {
        return null
      }
    },
    set(name, value) {
      try {
        backing().setItem(prefix + name, value)
        memory.delete(name)
      } catch {
        memory.set(name, value)
      }
    },
  }
}

/**
 * Returns whether the user has opted out: `disabled` is `true` for the project, or `aa_disabled` is set for the whole site.
 * Every value of `aa_disabled` except `false` counts, because people set it by hand.
 */
export function isDisabled(local: Store, backing: () => Backing): boolean {
  if (local.get('disabled') === 'true') return true
  try {
    const siteFlag = backing().getItem('aa_disabled')
    return siteFlag !== null && siteFlag !== 'false'
  } catch {
    return false
  }
}
