import { bareKey, splitField } from '#schemas/property-names'
import { type NamedIds, nameWithoutIds, withoutIds } from './without-ids.ts'

/** A saved view, as an erasure reads it. */
type View = { name: string; query: string }

/** Parameters whose values are ids of people, whatever they look like. */
const PERSON = new Set(['user', 'user_id'])

/**
 * What is left of a saved view (dashboard/url.ts) when a person is erased. A view that asks for the person
 * goes: without its condition it would show everybody under the same name. A condition that leaves the person
 * out goes alone, because the numbers stay the same. Null: the view goes. The same object: it names nobody.
 */
export function forgetInView<V extends View>(view: V, ids: NamedIds): V | null {
  const kept: string[] = []
  const parts = view.query === '' ? [] : view.query.split('&')
  for (const part of parts) {
    const [name, value] = decodePart(part)
    const [field = name, operator = 'eq', operand = value] =
      name === 'f' || name === 'where' ? (conditionOf(value) ?? []) : []
    // Other fields have values such as `pro`, which may be the id of somebody, too.
    const isNamed = PERSON.has(field)
      ? ids.all.has(operand)
      : [operand, bareKey(field)].some(text => withoutIds(text, ids) !== text)
    if (!isNamed) kept.push(part)
    else if (operator !== 'neq') return null
  }
  const name = nameWithoutIds(view.name, ids)
  if (name === view.name && kept.length === parts.length) return view
  return { ...view, name, query: kept.join('&') }
}

/** `f` of all views is `field:condition:value`, and `where` of the funnel has the number of a step before. */
function conditionOf(text: string): [field: string, operator: string, operand: string] | null {
  const [field, operation = ''] = splitField(text.replace(/^[1-8]:/, '')) ?? []
  const [, operator, operand] = /^([^:]*):([\s\S]*)$/.exec(operation) ?? []
  return field === undefined || operator === undefined || operand === undefined
    ? null
    : [field, operator, operand]
}

function decodePart(part: string): [name: string, value: string] {
  const [pair = ['', '']] = new URLSearchParams(part)
  return pair as [string, string]
}
