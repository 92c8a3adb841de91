/** The links files of a scope that one read uses. All its statements use the same ones. */
export type OpenLinks = {
  scope: string
  bucket: number
  /** Oldest first. */
  files: readonly string[]
  /**
   * Some of the files are lost. The fold writes them again; until then the ids of the others stand for
   * themselves.
   */
  isPartial?: boolean
  /** Steps after the first one that lead from an id to its final id at most. */
  hops: number
}
