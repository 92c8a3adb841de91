import { parseHotKey } from '#core/lake/keys'
import type { FileCondition, SqlParam, SqlQuery } from '#core/ports'
import { isFileCondition } from '#core/sql'

/**
 * Converts a value into a typed literal of Trino's SQL, which DuckDB also reads. Athena cannot bind values: its
 * parameters are SQL text too, of at most 1,024 characters each. Throws on NaN and infinities.
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

/** Files of a condition that are named at most. A path has about 70 characters, and Athena takes statements of 256 KB. */
const MAX_NAMED_FILES = 1_000

/**
 * Whether the text of a statement names exactly these files. It leaves out many hot files: the condition on their epochs also
 * chooses them, except that it does not exclude files that came later. Files of segments are always named, because the rows of a
 * segment are in older segments too.
 */
function namesFiles({ files }: FileCondition): boolean {
  return files.length <= MAX_NAMED_FILES || !files.every(key => parseHotKey(key) !== null)
}

/** Athena's column "$path" has the address of the file that a row comes from. No row is in none of the files. */
function fileCondition(condition: FileCondition, lakeLocation: string): string {
  if (condition.files.length === 0) return 'false'
  if (!namesFiles(condition)) return 'true'
  return `"$path" IN (${condition.files.map(key => textLiteral(`${lakeLocation}/${key}`)).join(', ')})`
}

/**
 * Puts a literal in the place of each `?`. `lakeLocation` is the address of the lake, e.g. s3://bucket. Throws where a literal might not stay a token of its own: at a `?` within
 * quotes or a comment, or beside a quote, a word or another `?`. Also throws when the number of values is not the number
 * of `?`.
 */
export function renderSql({ text, params }: Pick<SqlQuery, 'text' | 'params'>, lakeLocation: string): string {
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
    return isFileCondition(value) ? fileCondition(value, lakeLocation) : literal(value)
  })
  if (count !== params.length) throw new Error(`${params.length} values for ${count} ?`)
  return rendered
}

/** Matches quoted text, quoted names and comments, each with or without its end, because they may hold a `?`; and `?`. */
const TOKEN = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?/g

/** A literal beside one of these characters would become part of another token. */
const BESIDE = /['"?\w$]/

/** Returns whether the end of a quote or block comment is missing. */
function isOpen(token: string): boolean {
  if (token.startsWith('--')) return false
  if (token.startsWith('/*')) return !/^\/\*[\s\S]*\*\/$/.test(token)
  return (token.split(token.charAt(0)).length - 1) % 2 === 1
}

/** Control characters. Engines and transports treat them differently within quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** A lone surrogate becomes U+FFFD, because events are stored so (contract R3). */
function textLiteral(value: string): string {
  const text = value.toWellFormed()
  if (CONTROL.test(text)) return `from_utf8(from_hex('${Buffer.from(text).toString('hex').toUpperCase()}'))`
  return `'${text.replaceAll("'", "''")}'`
}

/** Every whole number is a bigint, also a small one, because DuckDB binds it so. */
function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`not a number that SQL knows: ${value}`)
  if (Object.is(value, -0)) return "DOUBLE '-0.0'"
  return Number.isSafeInteger(value) ? `BIGINT '${value}'` : `DOUBLE '${value}'`
}
