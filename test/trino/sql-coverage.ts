import { globSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../..')
/** Files that may have statements for the QueryEngine. */
const SOURCES = '{core,aws,lambdas}/**/*.ts'
/** The start of a piece of SQL (core/sql/sql.ts). */
const PIECE = /\bsql`/g

export type SqlCoverage = {
  /** The number of all pieces of SQL, and those that were never evaluated as `path:line`. */
  take(): Promise<{ pieces: number; unusedPieces: string[] }>
}

/**
 * Watches which pieces of SQL are evaluated, by the code coverage of V8. It sees only modules that are
 * imported after this call. Node strips types in place, so positions in the running code are positions in the
 * source.
 */
export async function watchSql(): Promise<SqlCoverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

  async function take() {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    session.disconnect()
    let pieces = 0
    const unusedPieces: string[] = []
    for (const path of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
      const source = readFileSync(resolve(ROOT, path), 'utf8')
      const url = pathToFileURL(resolve(ROOT, path)).href
      const ranges = result.find(script => script.url === url)?.functions.flatMap(({ ranges }) => ranges)
      for (const { index } of blankComments(source).matchAll(PIECE)) {
        pieces++
        if (executionCount(ranges ?? [], index) > 0) continue
        unusedPieces.push(`${path}:${source.slice(0, index).split('\n').length}`)
      }
    }
    return { pieces, unusedPieces }
  }

  return { take }
}

/** How often the code at a position ran: the count of the narrowest range around it, or 0 without a range. */
function executionCount(
  ranges: readonly { startOffset: number; endOffset: number; count: number }[],
  position: number,
): number {
  const rangesAround = ranges.filter(
    ({ startOffset, endOffset }) => startOffset <= position && position < endOffset,
  )
  const [narrowest] = rangesAround.toSorted(
    (a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset),
  )
  return narrowest?.count ?? 0
}

function blankComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, comment => ' '.repeat(comment.length))
}
