import type { LakeRead } from '#core/lake/read/lake-read'
import type { Range } from '#core/time'
import type { ComparedRange } from './compared-range.ts'
import { createNotes, type ReadNotes } from './notes.ts'
import type { ReadRows } from './statements.ts'

/** What `compare` adds to the body of a report (docs/api/reads.md, U108). */
export type Compared<Body> = {
  /** The fields of the body that `previous` has. */
  fields: readonly string[]
  /** Parameters that are about the range itself, so that the compared one is without them. */
  without?: readonly string[]
  /** Fields that need the bodies of both ranges, such as the changes between them. */
  add?(current: Body, previous: Body): Partial<Body>
}

/** What of a request is another one for the compared range. */
type RangedRequest = {
  params: object
  range: Range
  read: LakeRead
  notes: ReadNotes
  /** Unix ms. */
  oldest: number
  choose(read: LakeRead): LakeRead
}

/**
 * The body of a compared range, with what the report noted about it. `endsAt`: where today cuts it, Unix ms.
 */
type ComparedBody<Body> = { body: Body; notes: ReadNotes; endsAt: number | null }

/** Runs a report once more, for the range that `compare` asks for. */
export async function computeCompared<Request extends RangedRequest, Body>(
  report: { compared?: Compared<Body>; compute(rows: ReadRows, request: Request): Promise<Body> },
  rows: ReadRows,
  request: Request,
  { range, isCut }: ComparedRange,
): Promise<ComparedBody<Body>> {
  const notes = createNotes()
  const without = Object.fromEntries((report.compared?.without ?? []).map(name => [name, undefined]))
  const params = { ...request.params, ...without }
  const read = request.choose({
    ...request.read,
    from: Math.max(range.from, request.oldest),
    to: range.to,
  })
  // A range before the project has no events.
  const readRows = read.from < read.to ? rows : async () => []
  const body = await report.compute(readRows, { ...request, params, range, read, notes })
  return { body, notes, endsAt: isCut ? range.to : null }
}

/** The body with `previous`, and with what the report adds from both. */
export function withPrevious<Body>(
  compared: Compared<Body> | undefined,
  current: Body,
  { body, notes: ofCompared, endsAt }: ComparedBody<Body>,
  notes: ReadNotes,
): Body {
  if (endsAt !== null) notes.warnings.add(sameTime(endsAt))
  noteCompared(notes, ofCompared)
  const fields = compared?.fields ?? []
  const previous = Object.fromEntries(
    Object.entries(body as object).filter(([name, value]) => fields.includes(name) && value !== undefined),
  )
  return { ...current, previous, ...compared?.add?.(current, body) }
}

function sameTime(endsAt: number): string {
  return `Today is not over, so the compared range ends at the same time of day, ${new Date(endsAt).toISOString()}.`
}

/** Adds what holds for the compared range alone, and says so. */
function noteCompared(notes: ReadNotes, ofCompared: ReadNotes): void {
  notes.isExact &&= ofCompared.isExact
  const told = (message: string) => `Of the compared range: ${message}`
  for (const warning of ofCompared.warnings)
    if (!notes.warnings.has(warning)) notes.warnings.add(told(warning))
  for (const [code, message] of ofCompared.caveats)
    if (!notes.caveats.has(code)) notes.caveats.set(code, told(message))
}
