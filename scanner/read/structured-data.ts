import { isJsonObject } from '#core/text/json-object'
import { jsonOrNull } from '#core/text/json-or-null'
import type { HtmlElement } from './html-tree.ts'
import { addressesOfAction } from './schema-actions.ts'

export type StructuredItem = {
  type: string
  name: string | null
  description: string | null
  /** Of an action: the addresses that it names. */
  addresses: string[]
}

/** Items of one page, and levels of an item, that are read. */
const [MAX_ITEMS, MAX_LEVELS] = [200, 8]

/**
 * The items of schema.org of a page: JSON-LD, and `itemtype` of microdata. A script that is no JSON is left
 * out.
 */
export function readStructuredData(elements: readonly HtmlElement[]): StructuredItem[] {
  const items: StructuredItem[] = []
  for (const { tag, attributes, script } of elements) {
    if (items.length >= MAX_ITEMS) break
    const itemType = attributes.get('itemtype')
    if (itemType !== undefined) addItem(items, { '@type': itemType })
    if (tag === 'script' && /^application\/ld\+json/i.test(attributes.get('type') ?? '')) {
      addItems(items, jsonOrNull(script), 0)
    }
  }
  return items.slice(0, MAX_ITEMS)
}

function addItems(items: StructuredItem[], value: unknown, level: number): void {
  if (level > MAX_LEVELS || items.length >= MAX_ITEMS) return
  if (Array.isArray(value)) {
    for (const each of value.slice(0, MAX_ITEMS)) addItems(items, each, level + 1)
    return
  }
  if (!isJsonObject(value)) return
  addItem(items, value)
  for (const each of Object.values(value)) {
    if (typeof each === 'object' && each !== null) addItems(items, each, level + 1)
  }
}

function addItem(items: StructuredItem[], value: Record<string, unknown>): void {
  const types = Array.isArray(value['@type']) ? value['@type'] : [value['@type']]
  for (const each of types.slice(0, 4)) {
    if (typeof each !== 'string') continue
    // `https://schema.org/Product` and `schema:Product` are `Product`.
    const type = each.split(/[/#:]/).at(-1) ?? ''
    if (!/^[A-Za-z][A-Za-z0-9]{1,60}$/.test(type)) continue
    const addresses = type.endsWith('Action') ? addressesOfAction(value) : []
    items.push({ type, name: textField(value.name), description: textField(value.description), addresses })
  }
}

function textField(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}
