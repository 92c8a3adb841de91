/** A Parquet file of the lake that cannot be read. `key` is its key in the lake. */
export class DamagedObject extends Error {
  readonly key: string

  constructor(key: string, cause: unknown) {
    super(`${key} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.name = 'DamagedObject'
    this.key = key
  }
}
