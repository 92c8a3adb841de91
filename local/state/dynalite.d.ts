/** Types of the parts of dynalite that we use. dynalite has no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http'

  export type DynaliteOptions = {
    path: string
    createTableMs: number
    /** Our own option: local/state/dynalite-store.ts calls it with the new store. */
    prepare(store: import('dynalite/db/index.js').DynaliteStore): void
  }

  export default function dynalite(options: DynaliteOptions): Server
}

declare module 'dynalite/db/index.js' {
  import type { Readable } from 'node:stream'
  import type { AttributeValue, CreateTableCommandInput } from '@aws-sdk/client-dynamodb'
  import type { ClassicLevel } from 'classic-level'
  import type { DynaliteOptions } from 'dynalite'

  type Callback = (error: Error | null, value?: unknown) => void

  /** A LevelDB instance. dynalite replaces its methods with versions that take callbacks. */
  export type DynaliteLevel = Pick<ClassicLevel<string, unknown>, 'open' | 'status' | 'values'> & {
    put(key: string, value: unknown, done: Callback): void
    del(key: string, done: Callback): void
    get(key: string, done: Callback): void
    createValueStream(options: Parameters<ClassicLevel<string, unknown>['values']>[0]): Readable
  }

  export type DynaliteStore = {
    db: DynaliteLevel
    /** The items of a table, as JSON with the types of DynamoDB. */
    getItemDb(table: string): Pick<DynaliteLevel, 'get'>
  }

  /** What dynalite makes the key of an item of. */
  export type TableKeys = Required<
    Pick<CreateTableCommandInput, 'TableName' | 'AttributeDefinitions' | 'KeySchema'>
  > & { TableName: string }

  const engine: {
    create(options: DynaliteOptions): DynaliteStore
    /** The key of an item in the store of its table. */
    createKey(key: Record<string, AttributeValue>, table: TableKeys): string
  }
  export default engine
}
