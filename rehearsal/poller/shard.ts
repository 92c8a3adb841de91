/** The interfaces of the poller to a stream and to the clock. Tests have their own implementations. */

export type PolledRecord = {
  /** Unchanged text of the sequence, because an emulator compares it as text. */
  sequence: string
  partitionKey: string
  data: Uint8Array
  /** Unix ms. */
  arrivedAt: number
}

export type ShardInfo = {
  id: string /** Shards that a reshard has closed for this one. */
  parents: string[]
}

export type Position = 'TRIM_HORIZON' | 'LATEST' | { after: string }

export type ShardReader = {
  /**
   * Returns the records that are there, perhaps none. `end` means that the shard is closed and read to its
   * end.
   */
  next(): Promise<{ records: PolledRecord[]; end: boolean }>
}

export type ShardSource = {
  shards(): Promise<ShardInfo[]>
  open(shard: string, from: Position): ShardReader
}

export type Time = {
  /** Unix ms. */
  now(): number
  /** Resolves also when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}
