import { unsupported } from './item-error.ts'
import type { Scope, Tokens } from './tokens.ts'
import { attributeOf, compareValues, isEqual } from './values.ts'

export type Condition = (scope: Scope) => boolean
/** Undefined for an attribute that the item does not have. */
type Operand = (scope: Scope) => unknown

const COMPARISONS: Record<string, (a: unknown, b: unknown) => boolean> = {
  '=': isEqual,
  '<>': (a, b) => !isEqual(a, b),
  '<': (a, b) => compareValues(a, b) < 0,
  '<=': (a, b) => compareValues(a, b) <= 0,
  '>': (a, b) => compareValues(a, b) > 0,
  '>=': (a, b) => compareValues(a, b) >= 0,
}

const FUNCTIONS: Record<string, (tokens: Tokens) => Condition> = {
  attribute_exists: tokens => {
    const attribute = readAttribute(tokens)
    return scope => attribute(scope) !== undefined
  },
  attribute_not_exists: tokens => {
    const attribute = readAttribute(tokens)
    return scope => attribute(scope) === undefined
  },
  begins_with: tokens => {
    const [text, start] = readPair(tokens)
    return scope => {
      const [a, b] = [text(scope), start(scope)]
      return typeof a === 'string' && typeof b === 'string' && a.startsWith(b)
    }
  },
  contains: tokens => {
    const [whole, part] = readPair(tokens)
    return scope => containsValue(whole(scope), part(scope))
  },
}

/**
 * Reads a condition or a filter. Its conditions are closures, because the same expressions come again and
 * again.
 */
export function readCondition(tokens: Tokens): Condition {
  const either = [readAll(tokens)]
  while (tokens.accept('OR')) either.push(readAll(tokens))
  return scope => either.some(condition => condition(scope))
}

function readAll(tokens: Tokens): Condition {
  const all = [readOne(tokens)]
  while (tokens.accept('AND')) all.push(readOne(tokens))
  return scope => all.every(condition => condition(scope))
}

function readOne(tokens: Tokens): Condition {
  if (tokens.accept('NOT')) {
    const condition = readOne(tokens)
    return scope => !condition(scope)
  }
  if (tokens.accept('(')) return closed(tokens, readCondition(tokens))
  return tokens.isCall() ? readCall(tokens) : readComparison(tokens)
}

function readCall(tokens: Tokens): Condition {
  const name = tokens.take()
  const read = FUNCTIONS[name]
  if (read === undefined) throw unsupported(`the function ${name}`)
  tokens.expect('(')
  return closed(tokens, read(tokens))
}

function readComparison(tokens: Tokens): Condition {
  const left = readOperand(tokens)
  if (tokens.accept('BETWEEN')) {
    const from = readOperand(tokens)
    tokens.expect('AND')
    const to = readOperand(tokens)
    return scope => compareValues(from(scope), left(scope)) <= 0 && compareValues(left(scope), to(scope)) <= 0
  }
  if (tokens.accept('IN')) {
    tokens.expect('(')
    const options = closed(
      tokens,
      tokens.list(() => readOperand(tokens)),
    )
    return scope => options.some(option => isEqual(left(scope), option(scope)))
  }
  const sign = tokens.take()
  const compare = COMPARISONS[sign]
  if (compare === undefined) throw unsupported(`“${sign}” as a comparison`)
  const right = readOperand(tokens)
  return scope => compare(left(scope), right(scope))
}

function readOperand(tokens: Tokens): Operand {
  return tokens.peek()?.startsWith(':') ? tokens.value() : readAttribute(tokens)
}

function readAttribute(tokens: Tokens): Operand {
  const name = tokens.name()
  return scope => attributeOf(scope.item, name(scope))
}

function readPair(tokens: Tokens): [Operand, Operand] {
  const first = readOperand(tokens)
  tokens.expect(',')
  return [first, readOperand(tokens)]
}

function closed<T>(tokens: Tokens, result: T): T {
  tokens.expect(')')
  return result
}

function containsValue(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part)
  const elements = whole instanceof Set ? [...whole] : Array.isArray(whole) ? whole : []
  return elements.some(element => isEqual(element, part))
}
