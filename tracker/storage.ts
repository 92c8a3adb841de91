/** One browser storage under the names of one project. Never throws. */
export type Store = {
  get(name: string): string | null
  set(name: string, value: string): void
}

type Backing = { getItem(key: string): string | null; setItem(key: string, value: string): void }

/**
 * Opens a storage under `aa:<scope>:`. What the browser does not let us keep (a blocked or full storage) is kept in
 * memory for as long as the page lives. `backing` is a function, because already reading `window.localStorage` may
 * throw.
 */
export function openStore(backing: () => Backing, scope: string): Store {
  const prefix = `aa:${encodeURIComponent(scope)}:`
  const unkept = new Map<string, string>()
  return {
    get(name) {
      const kept = unkept.get(name)
      if (kept !== undefined) return kept
      try {
        return backing().getItem(prefix + name)
      } catch {
        return null
      }
    },
    set(name, value) {
      try {
        backing().setItem(prefix + name, value)
        unkept.delete(name)
      } catch {
        unkept.set(name, value)
      }
    },
  }
}

/**
 * True when the visitor has opted out: `disabled` is `true` in the project's scope, or `aa_disabled` is set for the
 * whole site. Any value of the latter but `false` counts, as it is set by hand.
 */
export function isDisabled(local: Store, backing: () => Backing): boolean {
  if (local.get('disabled') === 'true') return true
  try {
    const all = backing().getItem('aa_disabled')
    return all !== null && all !== 'false'
  } catch {
    return false
  }
}
