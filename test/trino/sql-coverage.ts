import { globSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../..')
/** Where statements for the QueryEngine are written. */
const SOURCES = '{core,aws,lambdas}/**/*.ts'
/** A piece of SQL, see core/sql.ts. */
const PIECE = /\bsql`/g

export type SqlCoverage = {
  /** How many pieces of SQL there are, and each that has not been evaluated, as `path:line`. */
  take(): Promise<{ pieces: number; missing: string[] }>
}

/**
 * Watches which pieces of SQL are evaluated, by the coverage of V8. What is to be watched has to be imported after
 * this. Types are stripped in place, so places in the code that runs are places in the source.
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
    const missing: string[] = []
    for (const path of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
      const source = readFileSync(resolve(ROOT, path), 'utf8')
      const url = pathToFileURL(resolve(ROOT, path)).href
      const ranges = result.find(script => script.url === url)?.functions.flatMap(found => found.ranges)
      for (const { index } of blankComments(source).matchAll(PIECE)) {
        pieces++
        if (countAt(ranges ?? [], index) > 0) continue
        missing.push(`${path}:${source.slice(0, index).split('\n').length}`)
      }
    }
    return { pieces, missing }
  }

  return { take }
}

/** How often the place ran: the count of the narrowest range around it; 0 when there is none. */
function countAt(
  ranges: readonly { startOffset: number; endOffset: number; count: number }[],
  at: number,
): number {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
  const [narrowest] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset))
  return narrowest?.count ?? 0
}

function blankComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, comment => ' '.repeat(comment.length))
}
