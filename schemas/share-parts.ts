/**
 * Makes an OpenAPI document smaller without loss: what several operations repeat stands once among the
 * components, and the operations refer to it.
 */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type JsonObject = { [name: string]: Json }
export type OpenApi = JsonObject & { paths: { [path: string]: { [method: string]: JsonObject } } }

type Kind = 'parameters' | 'headers' | 'requestBodies' | 'responses' | 'schemas'
type Part = { kind: Kind; name: string; value: JsonObject; uses: number }

/**
 * Replaces the parameters, headers, bodies, lists of errors and schemas of fields that occur more than once
 * by references. A part has the name of its field, a body that of its path; two different parts of one name
 * get numbers.
 */
export function shareParts(document: OpenApi): OpenApi {
  const parts = new Map<string, Part>()
  const collect: Change = (kind, value, name) => {
    const id = identityOf(kind, value)
    const part = parts.get(id) ?? { kind, name, value, uses: 0 }
    parts.set(id, { ...part, uses: part.uses + 1 })
    return value
  }
  mapParts(document, collect)
  const names = new Map<string, string>()
  const components = (document.components ?? {}) as { [kind: string]: JsonObject }
  for (const [id, { kind, name, value, uses }] of parts) {
    if (!isShorterShared(JSON.stringify(value).length, uses)) continue
    const shared = { ...components[kind] }
    let unique = name
    for (let i = 2; unique in shared; i++) unique = `${name}-${i}`
    components[kind] = { ...shared, [unique]: value }
    names.set(id, unique)
  }
  const refer: Change = (kind, value) => {
    const name = names.get(identityOf(kind, value))
    return name === undefined ? value : { $ref: `#/components/${kind}/${name}` }
  }
  return mapParts({ ...document, components }, refer) as OpenApi
}

/**
 * Keeps the operations of these tags or paths (both empty: all), and the components that they refer to,
 * directly or through others. Returns null if no operation is left.
 */
export function cutOpenApi(
  document: OpenApi,
  tags: readonly string[],
  paths: readonly string[],
): OpenApi | null {
  if (tags.length === 0 && paths.length === 0) return document
  const isKept = (path: string, operation: JsonObject) =>
    paths.includes(path) || (operation.tags as string[]).some(tag => tags.includes(tag))
  const kept: OpenApi['paths'] = {}
  for (const [path, methods] of Object.entries(document.paths)) {
    const operations = Object.entries(methods).filter(([, operation]) => isKept(path, operation))
    if (operations.length > 0) kept[path] = Object.fromEntries(operations)
  }
  if (Object.keys(kept).length === 0) return null
  const all = document.components as { [kind: string]: JsonObject }
  const components: { [kind: string]: JsonObject } = { securitySchemes: all.securitySchemes ?? {} }
  const queue: Json[] = [kept]
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g,
    )) {
      const component = all[kind]?.[name]
      if (component === undefined || components[kind]?.[name] !== undefined) continue
      components[kind] = { ...components[kind], [name]: component }
      queue.push(component)
    }
  }
  const usedTags = new Set(
    Object.values(kept).flatMap(methods => Object.values(methods).flatMap(each => each.tags as string[])),
  )
  const describedTags = (document.tags as { name: string }[]).filter(({ name }) => usedTags.has(name))
  return {
    ...document,
    tags: describedTags,
    paths: kept,
    components: { ...components, responses: namedErrors(components.responses ?? {}, kept) },
  }
}

/**
 * The list of all errors (schemas/openapi.ts), without the codes of other operations: it keeps those of a
 * kind of operations, in brackets, and those that these operations name.
 */
function namedErrors({ Errors, ...others }: JsonObject, operations: OpenApi['paths']): JsonObject {
  if (Errors === undefined) return others
  const { description, ...shared } = Errors as { description: string } & JsonObject
  const named = new Set(JSON.stringify([others, operations]).match(/\w+/g))
  const lines = description.split('\n').flatMap(line => {
    const [status = ''] = line.split(' ', 1)
    const all = line.slice(status.length + 1).split(', ')
    const codes = all.filter(code => code.endsWith(')') || named.has(code))
    return codes.length === 0 ? [] : [`${status} ${codes.join(', ')}`]
  })
  return { Errors: { ...shared, description: lines.join('\n') }, ...others }
}

/** The characters of a reference with the name of its part, about. */
const REFERENCE_CHARS = 42
const NAME_CHARS = 18

function isShorterShared(chars: number, uses: number): boolean {
  return chars + NAME_CHARS + uses * REFERENCE_CHARS < uses * chars
}

type Change = (kind: Kind, value: JsonObject, name: string) => JsonObject

/**
 * Calls `change` with each parameter, header of a response, body and schema of a field, and puts its result
 * in their place. A part that is replaced is not searched further.
 */
function mapParts(value: Json, change: Change, path: readonly string[] = []): Json {
  if (Array.isArray(value)) return value.map((each, i) => mapParts(each, change, [...path, String(i)]))
  if (value === null || typeof value !== 'object') return value
  const changed = changePart(value, change, path)
  if (changed !== value) return changed
  return Object.fromEntries(
    // Examples are data, whatever their fields are called.
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'example' || name === 'examples' ? each : mapParts(each, change, [...path, name]),
    ]),
  )
}

function changePart(value: JsonObject, change: Change, path: readonly string[]): JsonObject {
  const [holder, name = ''] = path.slice(-2)
  const isComponent = path[0] === 'components' && path.length === 3
  if (isComponent || ('$ref' in value && Object.keys(value).length === 1)) return value
  if (holder === 'parameters') return changeParameter(value, change)
  if (path[0] === 'components' && path[1] === 'parameters') return change('schemas', value, path[2] ?? '')
  if (name === 'requestBody') return change('requestBodies', value, nameOfPath(path))
  if (holder === 'headers') return change('headers', value, name)
  if (holder === 'responses' && '$ref' in value) return change('responses', value, 'Errors')
  if (path.at(-3) === 'content' && name === 'schema') return change('schemas', value, nameOfPath(path))
  return holder === 'properties' ? change('schemas', value, name) : value
}

function nameOfPath([, path = '']: readonly string[]): string {
  return path.replace(/^\//, '').replaceAll('/', '-').replace(/[{}]/g, '')
}

/**
 * zod-openapi writes the description of a parameter twice. It stays in the schema, because fields of bodies
 * have the same schemas.
 */
function changeParameter({ description, ...others }: JsonObject, change: Change): JsonObject {
  const schema = others.schema as JsonObject
  const isRepeat = description === undefined || description === schema.description
  const parameter = isRepeat ? others : { ...others, description }
  const changed = change('parameters', parameter, String(others.name))
  return changed === parameter
    ? { ...parameter, schema: change('schemas', schema, String(others.name)) }
    : changed
}

function identityOf(kind: Kind, value: JsonObject): string {
  return `${kind} ${JSON.stringify(value)}`
}
