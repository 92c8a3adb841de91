/** What the poller needs of a stream and of the machine, so that tests can play all three. */

export type PolledRecord = {
  /** Passed on as it came: an emulator compares it as text. */
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
  /** What there is now, perhaps nothing. `end`: the shard is closed and read to its end. */
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
