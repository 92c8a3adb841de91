import type { CaveatCode } from '#schemas/caveats'

/** What a read says about its response, beside the numbers. */
export type ReadNotes = {
  /** False: some number is an approximation. The receipt says so. */
  isExact: boolean
  /** Sentences for the caller (U67), each once: what was ignored, or what the caller may have meant. */
  warnings: Set<string>
  /** Why numbers may be misread (U81), each code once with its last message. */
  caveats: Map<CaveatCode, string>
  /**
   * The date of the first event that the caller may see (U68); null: there is none, or the read is not about
   * one project.
   */
  dataFrom: string | null
}

/** A response has at most so many warnings, the first ones. */
const MAX_WARNINGS = 20

export function createNotes(): ReadNotes {
  return { isExact: true, warnings: new Set(), caveats: new Map(), dataFrom: null }
}

/** Adds what a part of a read has noted; of its warnings, those that the caller may see. */
export function addNotes(notes: ReadNotes, ofPart: ReadNotes, areWarningsShown: boolean): void {
  notes.isExact &&= ofPart.isExact
  if (!areWarningsShown) return
  for (const warning of ofPart.warnings) notes.warnings.add(warning)
  for (const [code, message] of ofPart.caveats) notes.caveats.set(code, message)
}

/**
 * The field `warnings` of a response; nothing without warnings. `ofReport`: those that the body of the report
 * has already.
 */
export function warningsField(
  { warnings }: Pick<ReadNotes, 'warnings'>,
  ofReport: readonly string[] = [],
): { warnings?: string[] } {
  const all = [...new Set([...ofReport, ...warnings])].slice(0, MAX_WARNINGS)
  return warnings.size === 0 ? {} : { warnings: all }
}
