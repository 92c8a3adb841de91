import { vi } from 'vitest'

export type Entries = Record<string, string>

type Options = {
  /** Entries of localStorage and of sessionStorage. Null: the browser blocks the storage. */
  local?: Entries | null
  tab?: Entries | null
  /** Attributes of the script element. */
  dataset?: Record<string, string>
}

/**
 * Loads the modules of the tracker that need no document, as a new page does: with a state of their own, and
 * with these storages. A plain object is enough for a storage, because the tracker reads and writes its
 * entries as properties.
 */
export async function openNodePage({ local = {}, tab = {}, dataset = { token: 't' } }: Options = {}) {
  vi.resetModules()
  defineStorage('localStorage', local)
  defineStorage('sessionStorage', tab)
  vi.stubGlobal('window', globalThis)
  const settings = await import('#tracker/settings')
  settings.readSettings({ src: 'https://stats.test/tracker.js', dataset })
  return {
    ...(await import('#tracker/storage')),
    ...(await import('#tracker/identity')),
    ...(await import('#tracker/session')),
    ...(await import('#tracker/attribution')),
  }
}

/** Replaces a storage of this process. */
export function defineStorage(name: 'localStorage' | 'sessionStorage', entries: Entries | null): void {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      if (entries === null) throw new Error('The operation is insecure')
      return entries
    },
  })
}
