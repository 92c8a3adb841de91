import { invalid, unsupported } from './item-error.ts'
import type { Scope, Tokens } from './tokens.ts'
import { attributeOf, type Item } from './values.ts'

/** Changes the item of the scope. */
export type Update = (scope: Scope) => void

/**
 * What a value does to an attribute; `undefined` removes it. `before` is undefined for an attribute that the
 * item does not have.
 */
const CHANGES: Record<string, (before: unknown, value: unknown) => unknown> = {
  SET: (_, value) => value,
  ADD: (before, value) => (value instanceof Set ? addElements(before, value) : addNumbers(before, value)),
  REMOVE: () => undefined,
  DELETE: (before, value) => deleteElements(before, value),
}

const KEYS = ['pk', 'sk']

/** Reads an update: sections of SET, ADD, REMOVE and DELETE. */
export function readUpdate(tokens: Tokens): Update {
  const clauses: ((scope: Scope) => [name: string, value: unknown])[] = []
  while (tokens.peek() !== undefined) {
    const section = tokens.take().toUpperCase()
    const change = CHANGES[section]
    if (change === undefined) throw invalid(`“${section}” begins no section of an update`)
    clauses.push(...tokens.list(() => readClause(tokens, section, change)))
  }
  return scope => {
    const changes = clauses.map(clause => clause(scope))
    const names = changes.map(([name]) => name)
    if (names.some(name => KEYS.includes(name))) throw invalid('Cannot update attributes of the key')
    if (new Set(names).size < names.length) throw invalid('Two document paths overlap with each other')
    for (const [name, value] of changes) {
      if (value === undefined) delete scope.item[name]
      else setOwn(scope.item, name, value)
    }
  }
}

function readClause(tokens: Tokens, section: string, change: (before: unknown, value: unknown) => unknown) {
  const name = tokens.name()
  if (section === 'SET') tokens.expect('=')
  const value = section === 'REMOVE' ? () => undefined : tokens.value()
  return (scope: Scope): [string, unknown] => {
    const attribute = name(scope)
    return [attribute, change(attributeOf(scope.item, attribute), value(scope))]
  }
}

/** An attribute may be named `__proto__`. */
function setOwn(item: Item, name: string, value: unknown): void {
  Object.defineProperty(item, name, { value, writable: true, enumerable: true, configurable: true })
}

function addNumbers(before: unknown = 0, value: unknown): number {
  if (typeof before !== 'number' || typeof value !== 'number') throw wrongType()
  const sum = before + value
  if (![before, value, sum].every(Number.isSafeInteger))
    throw unsupported('ADD of numbers that are not whole')
  return sum
}

function addElements(before: unknown = new Set(), value: ReadonlySet<unknown>): ReadonlySet<unknown> {
  return new Set([...checkSet(before), ...value])
}

/** DynamoDB has no empty sets, so the last element takes the attribute with it. */
function deleteElements(before: unknown = new Set(), value: unknown): ReadonlySet<unknown> | undefined {
  const removed = checkSet(value)
  const left = [...checkSet(before)].filter(element => !removed.has(element))
  return left.length === 0 ? undefined : new Set(left)
}

function checkSet(value: unknown): ReadonlySet<unknown> {
  if (value instanceof Set) return value
  throw wrongType()
}

function wrongType() {
  return invalid('An operand in the update expression has an incorrect data type')
}
