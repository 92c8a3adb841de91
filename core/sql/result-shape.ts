import type { SqlQuery } from '#core/ports'

/** The columns that a statement returns, and the keys of its own ORDER BY as they stand; null without one. */
export type ResultShape = { columns: readonly string[]; orderBy: string | null }

/** A token outside of all parentheses, in lower case, with its place in the text. */
type Token = { word: string; at: number }

/** Quoted texts, comments, parentheses, words, and the other characters that a list of columns may have. */
const TOKENS = /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|\/\*[\s\S]*?(?:\*\/|$)|\w+|[^\s\w]/g
const WORD = /^[a-z_]\w*$/
const NUMBER = /^\d+$/

/** What stands in an ORDER BY beside the names of columns. */
const ORDER_WORDS = 'asc desc nulls first last case when is not null then else end ,'.split(' ')

/**
 * Reads from the text of a statement what it returns, so that its columns are written once. Null where the
 * text does not say it: with a column without a name, a `*`, an order by what is no column.
 */
export function resultShape({ text }: Pick<SqlQuery, 'text'>): ResultShape | null {
  const tokens = outerTokens(text)
  const words = tokens.map(({ word }) => word)
  const select = words.indexOf('select')
  const columns = select < 0 ? null : columnsOf(words.slice(select + 1))
  if (columns === null || new Set(columns).size < columns.length) return null
  const order = words.lastIndexOf('order')
  if (order < 0) return { columns, orderBy: null }
  const keys = tokens.slice(order + 2)
  const end = keys.find(({ word }) => word === 'limit')
  const known = [...columns, ...ORDER_WORDS]
  const isKnown = ({ word }: Token) => known.includes(word) || NUMBER.test(word)
  if (!keys.slice(0, end === undefined ? keys.length : keys.indexOf(end)).every(isKnown)) return null
  return { columns, orderBy: text.slice(keys[0]?.at, end?.at).trim() }
}

/** A pair of parentheses is one token, `)`. */
function outerTokens(text: string): Token[] {
  const outer: Token[] = []
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '(') depth++
    else if (token === ')') depth--
    if (depth === 0 && !token.startsWith('/*')) outer.push({ word: token.toLowerCase(), at: index })
  }
  return outer
}

/** The names of the columns of a SELECT: the last word of each, after AS or alone. */
function columnsOf(words: readonly string[]): string[] | null {
  const end = words.findIndex(word => word === 'from' || word === 'union' || word === 'order')
  const list = end < 0 ? words : words.slice(0, end)
  const columns: string[] = []
  let begin = 0
  for (let i = 0; i <= list.length; i++) {
    if (i < list.length && list[i] !== ',') continue
    const column = list.slice(begin, i)
    const [name = '', before] = column.toReversed()
    if (!WORD.test(name) || (before !== undefined && before !== 'as' && before !== '.')) return null
    columns.push(name)
    begin = i + 1
  }
  return columns
}
