import { plainJson } from './plain-json.ts'

/** A replay of this tab, which goes on over its pages. */
export type TabReplay = {
  session_id: string
  start_id: string
  started_at: number
  user_id?: string
  /** The address of its first page, masked. */
  url: string
  /** The service has answered with this id; null before. */
  id: string | null
  /** Chunks made so far: the index of the next one. */
  chunks: number
  /** Bytes of the chunks, compressed. */
  bytes: number
  /** A page is recording. A copy of the tab has a copy of this value, and must not go on with its replay. */
  isOpen: boolean
  /** A limit has ended it. The session is not recorded further. */
  hasEnded: boolean
}

/** A chunk that waits, or the end of a replay: the number of its chunks. */
export type Unsent = {
  replay: TabReplay
  user_id?: string | undefined
  index: number
  isFinish?: boolean
  /** Events as JSON: a list. */
  events?: string
  /** The same list, compressed, in base64. */
  gzip?: string
  /** The last chunk of a replay. It is kept also when the replay is full. */
  isLast?: boolean
}

/** Characters of unsent chunks that the tab keeps for the next page. Browsers store 5 million a site. */
const MAX_UNSENT_CHARS = 1_000_000

/** The replay of this tab and its unsent chunks, in the storage of the tab. A browser may forbid it. */
export function createTabState(token: string) {
  const prefix = `aa:${encodeURIComponent(token)}:replay`

  function read<T>(key: string): T | null {
    try {
      return JSON.parse(sessionStorage.getItem(key) ?? 'null')
    } catch {
      return null
    }
  }

  function write(key: string, value: unknown): void {
    try {
      if (value === null) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, plainJson(value))
    } catch {
      // The storage is full or forbidden: the next page begins a replay of its own.
    }
  }

  return {
    read: () => read<TabReplay>(prefix),
    write: (replay: TabReplay | null) => write(prefix, replay),
    /** Whether the page has asked the user, and may record (`after_consent`). */
    hasConsent: () => read<boolean>(`${prefix}_consent`) === true,
    setConsent: (isGiven: boolean) => write(`${prefix}_consent`, isGiven || null),
    readUnsent: () => read<Unsent[]>(`${prefix}_unsent`) ?? [],

    /** Keeps the first chunks, up to the bound: a replay plays up to its first gap. */
    writeUnsent(unsent: readonly Unsent[]): void {
      let left = MAX_UNSENT_CHARS
      const kept = unsent.filter(({ events = '', gzip = '' }) => {
        left -= gzip.length || events.length
        return left > 0
      })
      write(`${prefix}_unsent`, kept.length > 0 ? kept : null)
    },
  }
}

export type TabState = ReturnType<typeof createTabState>
