/** The traits files of a project that one read uses. All its statements use the same ones. */
export type OpenTraits = {
  files: readonly string[]
  /** Some of the files are lost or not written yet. The fold writes them; until then they are left out. */
  isPartial?: boolean
}
