import { invalid, unsupported } from './item-error.ts'
import type { Item } from './values.ts'

/** The names and values that a request gives its expressions, and the item that they are about. */
export type Scope = {
  item: Item
  names: Record<string, string>
  values: Record<string, unknown>
}

const TOKEN = /\s*(<>|<=|>=|[=<>(),]|[#:]?\w+)\s*/y

/**
 * Names that may stand in an expression as they are. DynamoDB reserves 573 words, none of which has an
 * underscore or is one of these.
 */
const PLAIN_NAME = /^(pk|sk|version|mark|checkpoint|reports|reported|pending|[A-Za-z][A-Za-z0-9]*_\w*)$/

/**
 * Reads an expression token by token. `placeholders` are the names (#) and values (:) that it has used so
 * far.
 */
export function readTokens(text: string) {
  const tokens: string[] = []
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at
    const [, token] = TOKEN.exec(text) ?? []
    if (token === undefined) throw unsupported(`“${text.slice(at)}” in the expression “${text}”`)
    tokens.push(token)
  }
  const placeholders = new Set<string>()
  let position = 0

  function take(): string {
    const token = tokens[position++]
    if (token === undefined) throw invalid(`The expression ends too early: ${text}`)
    if (/^[#:]/.test(token)) placeholders.add(token)
    return token
  }

  /** Takes the next token if it is this word, in any case, or this sign. */
  function accept(word: string): boolean {
    const isNext = tokens[position]?.toUpperCase() === word
    if (isNext) position++
    return isNext
  }

  function expect(word: string): void {
    if (!accept(word))
      throw invalid(`The expression needs ${word} before “${tokens[position] ?? ''}”: ${text}`)
  }

  /** An attribute of the item, by its name or by a placeholder. */
  function name(): (scope: Scope) => string {
    const token = take()
    if (PLAIN_NAME.test(token)) return () => token
    if (!token.startsWith('#'))
      throw unsupported(`“${token}” as a name in “${text}”; name it with ExpressionAttributeNames`)
    return ({ names }) => {
      const found = names[token]
      if (found === undefined)
        throw invalid(`An expression attribute name used in expression is not defined: ${token}`)
      return found
    }
  }

  /** A value of the request. */
  function value(): (scope: Scope) => unknown {
    const token = take()
    if (!token.startsWith(':')) throw unsupported(`“${token}” as a value in “${text}”`)
    return ({ values }) => {
      const found = values[token]
      if (found === undefined)
        throw invalid(`An expression attribute value used in expression is not defined: ${token}`)
      return found
    }
  }

  /** What `read` reads, once and then after each comma. */
  function list<T>(read: () => T): T[] {
    const elements = [read()]
    while (accept(',')) elements.push(read())
    return elements
  }

  return {
    take,
    accept,
    expect,
    name,
    value,
    list,
    placeholders,
    peek: () => tokens[position],
    /** Whether a call of the function follows. */
    isCall: () => /^[a-z_]+$/.test(tokens[position] ?? '') && tokens[position + 1] === '(',
  }
}

export type Tokens = ReturnType<typeof readTokens>
