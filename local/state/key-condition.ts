import { invalid, unsupported } from './item-error.ts'
import type { Scope, Tokens } from './tokens.ts'
import { compareValues } from './values.ts'

/** An end of a range of `sk`: a condition with one parameter in SQL, and the parameter. */
export type Bound = { sql: string; value: string }
/** Keys of one partition, in an order. */
export type Range = { pk: string; lower?: Bound | undefined; upper?: Bound | undefined }

type Part = { name: string; sign: string; lower?: Bound; upper?: Bound }

/** The conditions on `sk` by their signs, as bounds of `value`. */
const BOUNDS: Record<string, (value: string) => Pick<Part, 'lower' | 'upper'>> = {
  '=': value => ({ lower: { sql: 'sk >= ?', value }, upper: { sql: 'sk <= ?', value } }),
  '<': value => ({ upper: { sql: 'sk < ?', value } }),
  '<=': value => ({ upper: { sql: 'sk <= ?', value } }),
  '>': value => ({ lower: { sql: 'sk > ?', value } }),
  '>=': value => ({ lower: { sql: 'sk >= ?', value } }),
  // SQLite compares bytes, and no text has the byte FF.
  begins_with: value => ({
    lower: { sql: 'sk >= ?', value },
    upper: { sql: "sk < ? || CAST(x'FF' AS TEXT)", value },
  }),
}

/** Reads the condition of a query: `pk = :a`, and perhaps one condition on `sk`. */
export function readKeyCondition(tokens: Tokens): (scope: Scope) => Range {
  const parts = [readPart(tokens)]
  if (tokens.accept('AND')) parts.push(readPart(tokens))
  return scope => {
    const [first, second] = parts.map(part => part(scope)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const isOfTable = first?.name === 'pk' && first.sign === '=' && [undefined, 'sk'].includes(second?.name)
    if (!isOfTable) throw invalid('Query key condition not supported')
    return { pk: first.lower?.value as string, lower: second?.lower, upper: second?.upper }
  }
}

function readPart(tokens: Tokens): (scope: Scope) => Part {
  if (tokens.isCall()) return readPrefix(tokens)
  const name = tokens.name()
  const sign = tokens.take()
  if (sign.toUpperCase() === 'BETWEEN') {
    const from = readText(tokens)
    tokens.expect('AND')
    const to = readText(tokens)
    return scope => {
      const [first, last] = [from(scope), to(scope)]
      if (compareValues(first, last) > 0)
        throw invalid('The BETWEEN operator requires its bounds in ascending order')
      return { name: name(scope), sign, ...BOUNDS['>=']?.(first), ...BOUNDS['<=']?.(last) }
    }
  }
  const toBounds = BOUNDS[sign]
  if (toBounds === undefined) throw unsupported(`“${sign}” as a condition on a key`)
  const value = readText(tokens)
  return scope => ({ name: name(scope), sign, ...toBounds(value(scope)) })
}

function readPrefix(tokens: Tokens): (scope: Scope) => Part {
  const sign = tokens.take()
  const toBounds = BOUNDS[sign]
  if (toBounds === undefined) throw unsupported(`the function ${sign} on a key`)
  tokens.expect('(')
  const name = tokens.name()
  tokens.expect(',')
  const start = readText(tokens)
  tokens.expect(')')
  return scope => ({ name: name(scope), sign, ...toBounds(start(scope)) })
}

function readText(tokens: Tokens): (scope: Scope) => string {
  const value = tokens.value()
  return scope => {
    const text = value(scope)
    if (typeof text !== 'string') throw invalid('One or more parameter values were invalid: a key is a text')
    return text
  }
}
