import type { FileCondition, SqlParam, SqlQuery } from '#core/ports'
import { isFileCondition } from './sql.ts'
import { textLiteral } from './text-literal.ts'

/**
 * Converts a value into a typed literal of Trino's SQL, which DuckDB also reads. Athena cannot bind values:
 * its parameters are SQL text too, of at most 1,024 characters each. DuckDB plans a statement with parameters
 * twice. Throws on NaN and infinities.
 */
export function literal(value: Exclude<SqlParam, FileCondition>): string {
  switch (typeof value) {
    case 'string':
      return textLiteral(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      return numberLiteral(value)
    default:
      return 'NULL'
  }
}

/**
 * Puts a literal in the place of each `?`. `fileCondition` writes the condition that a row is in one of the
 * files. Throws where a literal might not stay a token of its own: at a `?` within quotes or a comment, or
 * beside a quote, a word or another `?`. Also throws when the number of values is not the number of `?`.
 */
export function renderSql(
  { text, params }: Pick<SqlQuery, 'text' | 'params'>,
  fileCondition: (files: readonly string[]) => string,
): string {
  let count = 0
  const rendered = text.replaceAll(TOKEN, (token, offset: number) => {
    if (token !== '?') {
      if (token.includes('?') || isOpen(token))
        throw new Error(`a quote or comment with a ? or no end: ${token}`)
      return token
    }
    if (BESIDE.test(text.charAt(offset - 1)) || BESIDE.test(text.charAt(offset + 1))) {
      throw new Error(`a ? that does not stand apart: ${text.slice(Math.max(0, offset - 20), offset + 20)}`)
    }
    const value = params[count++]
    if (value === undefined) throw new Error(`more ? than the ${params.length} values`)
    return isFileCondition(value) ? fileCondition(value.files) : literal(value)
  })
  if (count !== params.length) throw new Error(`${params.length} values for ${count} ?`)
  return rendered
}

/**
 * Matches quoted text, quoted names and comments, each with or without its end, because they may hold a `?`;
 * and `?`.
 */
const TOKEN = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?/g

/** A literal beside one of these characters would become part of another token. */
const BESIDE = /['"?\w$]/

/** Returns whether the end of a quote or block comment is missing. */
function isOpen(token: string): boolean {
  if (token.startsWith('--')) return false
  if (token.startsWith('/*')) return !/^\/\*[\s\S]*\*\/$/.test(token)
  return (token.split(token.charAt(0)).length - 1) % 2 === 1
}

/** Every whole number is a bigint, also a small one, because DuckDB binds it so. */
function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`not a number that SQL knows: ${value}`)
  if (Object.is(value, -0)) return "DOUBLE '-0.0'"
  return Number.isSafeInteger(value) ? `BIGINT '${value}'` : `DOUBLE '${value}'`
}
