/** What we use of dynalite, which has no types of its own. */
declare module 'dynalite' {
  import type { Server } from 'node:http'

  export type DynaliteOptions = {
    path: string
    createTableMs: number
    /** Ours, called by local/state/dynalite-store.ts with the store that was made for these options. */
    prepare(store: import('dynalite/db/index.js').DynaliteStore): void
  }

  export default function dynalite(options: DynaliteOptions): Server
}

declare module 'dynalite/db/index.js' {
  import type { Readable } from 'node:stream'
  import type { ClassicLevel } from 'classic-level'
  import type { DynaliteOptions } from 'dynalite'

  type Callback = (error: Error | null, value?: unknown) => void

  /** A LevelDB whose methods dynalite has replaced on the instance by ones with callbacks. */
  export type DynaliteLevel = Pick<ClassicLevel<string, unknown>, 'open' | 'status'> & {
    put(key: string, value: unknown, done: Callback): void
    del(key: string, done: Callback): void
    get(key: string, done: Callback): void
    createValueStream(options: unknown): Readable
  }

  export type DynaliteStore = { db: DynaliteLevel }

  const engine: { create(options: DynaliteOptions): DynaliteStore }
  export default engine
}
