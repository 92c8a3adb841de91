/**
 * An object of the lake that is promoted. `size`: bytes. `version`: another text as soon as the object under
 * the key is another one; a hot file is written anew by an erasure.
 */
export type SourceObject = { key: string; size: number; version: string }

/** The lake that is promoted. It may change while it is listed. */
export type ObjectSource = {
  list(): Promise<SourceObject[]>
  /** Null: it is not there any more. */
  get(key: string): Promise<Uint8Array | null>
}

/** What earlier runs have copied. It outlives a process that is killed; it may lack the newest notes. */
export type CopiedObjects = {
  has(object: SourceObject): boolean
  /** Call it when the object is durable in the target. */
  note(object: SourceObject): void
}

/** What a promotion stops, starts and tells the target, besides its table and its lake. */
export type TargetService = {
  /** The key of the e-mail index; an empty text when it has none. */
  readEmailKey(): Promise<string>
  writeEmailKey(key: string): Promise<void>
  /**
   * Stops all that writes to table and lake, and resolves when nothing runs. A stack goes on with ingestion:
   * events wait in the stream. All else that a caller can ask gets 503, so that nobody changes what is copied
   * over.
   */
  stopWriters(): Promise<void>
  /** Whether they are stopped. Something that began before may still run. */
  areStopped(): Promise<boolean>
  startWriters(): Promise<void>
  /** Makes table and lake agree, and returns how many things of each kind are lost: all 0 after a copy. */
  reconcile(): Promise<Record<string, number>>
}
