import { ApiError } from '#core/errors'
import type { SqlQuery } from '#core/ports'
import { renderSql } from '#core/sql/literal'
import { queryFailure } from '#core/sql/query-failures'
import { isFileCondition } from '#core/sql/sql'
import { byAddress, byName, withoutHotFiles } from './file-condition.ts'

/** Athena's limit for the text of a statement. */
const MAX_TEXT_BYTES = 262_144

/** The first form lets Athena open the fewest files, the last one has the shortest text. */
const FORMS = [byAddress, withoutHotFiles, byName] as const

/**
 * The text of a statement for Athena, in the first form that is not too long. Throws QUERY_FAILED if the
 * values of the request are too long, and UNAVAILABLE if the period has too many files.
 */
export function statementText(query: Pick<SqlQuery, 'text' | 'params'>, lakeLocation: string): string {
  for (const form of FORMS) {
    const text = renderSql(query, files => form(files, lakeLocation))
    if (Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text
  }
  const withoutFiles = renderSql(query, () => 'true')
  if (query.params.some(isFileCondition) && Buffer.byteLength(withoutFiles) <= MAX_TEXT_BYTES)
    throw queryFailure('files')
  throw new ApiError(
    'QUERY_FAILED',
    'The values of the query are too long for the query engine. Send fewer filters, or shorter values.',
  )
}
