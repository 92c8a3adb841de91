/** What a read says about its response, beside the numbers. */
export type ReadNotes = {
  /** False: some number is an approximation. The receipt says so. */
  isExact: boolean
  /** Sentences for the caller (U67), each once: what was ignored, or what the caller may have meant. */
  warnings: Set<string>
}

/** A response has at most so many warnings, the first ones. */
const MAX_WARNINGS = 20

export function createNotes(): ReadNotes {
  return { isExact: true, warnings: new Set() }
}

/** The field `warnings` of a response; nothing without warnings. `ofReport`: those that the body of the report has already. */
export function warningsField(
  { warnings }: Pick<ReadNotes, 'warnings'>,
  ofReport: readonly string[] = [],
): { warnings?: string[] } {
  const all = [...new Set([...ofReport, ...warnings])].slice(0, MAX_WARNINGS)
  return warnings.size === 0 ? {} : { warnings: all }
}
