/** What names of properties mean wherever a request names one (U70, U87, U90). */

/** Keys that a name may have without quotes (docs/api/properties.md). */
const PLAIN_KEY = /^[A-Za-z0-9_]{1,128}$/
/** Characters of a key in quotes. No stored key has more, because properties have at most 8192 bytes. */
const MAX_QUOTED_CHARS = 8_192
const QUOTED = /^(?<owner>properties|traits)\[(?<key>"(?:[^"\\]|\\.)*")\]$/

/** What has keys: an event its properties, a person their traits. */
type KeyOwner = 'properties' | 'traits'

/**
 * The name of a property with its prefix, as a pattern: a key in quotes has more rules, which `keyOf` knows.
 */
export const PROPERTY_PATTERN = patternOf('properties')
/** The same of the name of a trait. */
export const TRAIT_PATTERN = patternOf('traits')

function patternOf(owner: KeyOwner): string {
  return String.raw`${owner}\.[A-Za-z0-9_]{1,128}|${owner}\["(?:[^"\\]|\\.)*"\]`
}

/** Fields of an event with text: their bare names are theirs, not those of properties. */
export const TEXT_FIELDS = ['event', 'user_id', 'session_id', 'country'] as const
/** Its fields with a time. */
export const TIME_FIELDS = ['date', 'timestamp'] as const

export type TextField = (typeof TEXT_FIELDS)[number]

/** The key that stands between brackets as a JSON text, `properties["a.b"]`; undefined for other names. */
function quotedKey(name: string, wanted: KeyOwner = 'properties'): string | undefined {
  const { owner, key: quoted } = QUOTED.exec(name)?.groups ?? {}
  if (quoted === undefined || owner !== wanted) return undefined
  try {
    const key: string = JSON.parse(quoted)
    // Events are stored without lone surrogates.
    return key.length <= MAX_QUOTED_CHARS && !/\p{Cs}/u.test(key) ? key : undefined
  } catch {
    return undefined
  }
}

/** The key of a property whose name has its prefix: `properties.x` or `properties["x"]`; else undefined. */
export function prefixedKey(name: string): string | undefined {
  return keyOfOwner(name, 'properties')
}

/** The key of a trait whose name is `traits.x` or `traits["x"]`; else undefined. */
export function traitKey(name: string): string | undefined {
  return keyOfOwner(name, 'traits')
}

function keyOfOwner(name: string, owner: KeyOwner): string | undefined {
  const key = name.startsWith(`${owner}.`) ? name.slice(owner.length + 1) : undefined
  return key !== undefined && PLAIN_KEY.test(key) ? key : quotedKey(name, owner)
}

/**
 * The key of a property that is named by `x`, `properties.x` or `properties["x"]`; undefined for other texts.
 */
export function keyOf(name: string): string | undefined {
  return PLAIN_KEY.test(name) ? name : prefixedKey(name)
}

/** The key in a name that is checked, or that names what was sent, whatever its characters are. */
export function bareKey(name: string): string {
  return quotedKey(name) ?? name.replace(/^properties\./, '')
}

/** The name with prefix of the property that has the key: `properties.plan`, or `properties["a.b"]`. */
export function fieldOfKey(key: string): string {
  return fieldOf('properties', key)
}

/** The name of the trait that has the key: `traits.plan`, or `traits["a.b"]`. */
export function fieldOfTrait(key: string): string {
  return fieldOf('traits', key)
}

function fieldOf(owner: KeyOwner, key: string): string {
  return PLAIN_KEY.test(key) ? `${owner}.${key}` : `${owner}[${JSON.stringify(key)}]`
}

/** The shortest name of the property that has the key: `plan`, or `properties["a.b"]`. */
export function nameOfKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : fieldOfKey(key)
}

/**
 * One spelling of a field where properties have their prefix: `properties.plan` for `properties["plan"]`, and
 * `traits.plan` for `traits["plan"]`.
 */
export function oneField(field: string): string {
  const [property, trait] = [prefixedKey(field), traitKey(field)]
  if (property !== undefined) return fieldOfKey(property)
  return trait === undefined ? field : fieldOfTrait(trait)
}

/**
 * One spelling for each meaning: `path` for `properties.path`, but `properties.country`, because `country` is
 * that of the event. `others`: further names that a report knows, such as `source`.
 */
export function oneSpelling(name: string, others: readonly string[] = []): string {
  const key = keyOf(name)
  if (key === undefined) return oneField(name)
  const isBuiltIn = [...TEXT_FIELDS, ...TIME_FIELDS, ...others].includes(key)
  return isBuiltIn && name !== key ? fieldOfKey(key) : nameOfKey(key)
}

/**
 * The name of a field and what follows the colon behind it, which may also be in the quotes of the name:
 * `properties["a:b"]` and `eq:x` of `properties["a:b"]:eq:x`. Null for a text without such a colon.
 */
export function splitField(text: string): [field: string, rest: string] | null {
  const [, field, rest] = /^((?:properties|traits)\["(?:[^"\\]|\\.)*"\]|[^:]*):([\s\S]*)$/.exec(text) ?? []
  return field === undefined || rest === undefined ? null : [field, rest]
}

/** The names of a list with commas, which may also be in the quotes of a name. */
export function splitNames(text: string): string[] {
  const found = text.matchAll(/(?:^|,)(\s*properties\["(?:[^"\\]|\\.)*"\]\s*(?=,|$)|[^,]*)/g)
  return Array.from(found, ([, name = '']) => name.trim())
}

/** The field of an event that a name means; undefined for the name of a property. */
export function textFieldOf(name: string): TextField | undefined {
  return TEXT_FIELDS.find(field => field === name)
}

/** The key of the property that a name means; undefined for a field of the event. */
export function propertyOf(name: string): string | undefined {
  return textFieldOf(name) === undefined ? bareKey(name) : undefined
}

/** Whether a name is that of a time of the event, by which values are not grouped. */
export function isTimeField(name: string): boolean {
  return TIME_FIELDS.some(field => field === name)
}

/** What to send instead of the name of a field that a report cannot read. */
export function propertyInstead(name: string): string {
  return `\`${name}\` is a field of the event itself. Send \`properties.${name}\` for the property of this name.`
}

/** What the key of a property may be, for messages. */
export const KEY_RULE =
  '1 to 128 letters, digits or underscores, or any key as a JSON text in brackets, such as `properties["a.b"]`'
