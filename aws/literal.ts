import type { SqlParam, SqlQuery } from '#core/ports'

/**
 * A value as a typed literal of Trino's SQL, which DuckDB reads alike. Athena has no bound values: its parameters are
 * SQL text too, of 1,024 characters at most. Throws on NaN and infinities, which no statement compares with.
 */
export function literal(value: SqlParam): string {
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
 * The text of a statement with a literal for each `?`. Throws where a literal might not stay a token of its own: a `?`
 * within quotes or a comment, or right beside a quote, a word or another `?`; and where there are more or fewer values
 * than `?`.
 */
export function renderSql({ text, params }: Pick<SqlQuery, 'text' | 'params'>): string {
  let used = 0
  const rendered = text.replaceAll(TOKEN, (token, offset: number) => {
    if (token !== '?') {
      if (token.includes('?') || isOpen(token))
        throw new Error(`a quote or comment with a ? or no end: ${token}`)
      return token
    }
    if (BESIDE.test(text.charAt(offset - 1)) || BESIDE.test(text.charAt(offset + 1))) {
      throw new Error(`a ? that does not stand apart: ${text.slice(Math.max(0, offset - 20), offset + 20)}`)
    }
    const value = params[used++]
    if (value === undefined) throw new Error(`more ? than the ${params.length} values`)
    return literal(value)
  })
  if (used !== params.length) throw new Error(`${params.length} values for ${used} ?`)
  return rendered
}

/** What may hold a `?`: quoted text, a quoted name, comments (each also without its end); and the `?` itself. */
const TOKEN = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\?/g

/** What a literal could grow together with. */
const BESIDE = /['"?\w$]/

/** Whether the end of a quote or block comment is missing. */
function isOpen(token: string): boolean {
  if (token.startsWith('--')) return false
  if (token.startsWith('/*')) return !/^\/\*[\s\S]*\*\/$/.test(token)
  return (token.split(token.charAt(0)).length - 1) % 2 === 1
}

/** Control characters: engines and transports disagree on them within quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** A lone surrogate is stored as U+FFFD (contract R3), so that is what it is compared as. */
function textLiteral(value: string): string {
  const text = value.toWellFormed()
  if (CONTROL.test(text)) return `from_utf8(from_hex('${Buffer.from(text).toString('hex').toUpperCase()}'))`
  return `'${text.replaceAll("'", "''")}'`
}

/** A whole number is a bigint however small it is, as it is when it is bound on DuckDB. */
function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`not a number that SQL knows: ${value}`)
  if (Object.is(value, -0)) return "DOUBLE '-0.0'"
  return Number.isSafeInteger(value) ? `BIGINT '${value}'` : `DOUBLE '${value}'`
}
