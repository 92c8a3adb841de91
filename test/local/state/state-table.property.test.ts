import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StateTable } from '#core/state/state-table'
import { propertySettings } from '#test/support/depth'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import { emptyTable, openTestState, type TestState } from '#test/support/test-state'

/**
 * Random requests on the file of one machine and on dynalite: both must give the same responses and errors.
 */

let state: TestState
let reference: DynaliteState
beforeAll(async () => {
  ;[state, reference] = await Promise.all([openTestState(), openDynaliteState()])
})
afterAll(() => Promise.all([state.close(), reference.close()]))

type Item = Record<string, unknown>
type Method = 'get' | 'put' | 'update' | 'delete' | 'query' | 'scan'
type Request = { method: Method; input: Item }

/** Few names and values, so that requests meet each other's items. */
const NAMES = ['a', 'b', 'c', 'expires_at']
// Without characters between U+E000 and U+FFFF: beside characters beyond them dynalite compares their UTF-16,
// DynamoDB and the file of one machine their UTF-8 (test/contract/state-table.ts).
const TEXTS = ['', 'a', 'ab', 'b', 'é', '\u{1F600}']
const text = fc.constantFrom(...TEXTS)
const number = fc.constantFrom(-3, 0, 1, 2, 10)
const set = fc.oneof(
  fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
  fc.uniqueArray(number, { minLength: 1 }),
)
const value = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 4, arbitrary: text },
  fc.constantFrom(true, false, null),
  set.map(elements => new Set<unknown>(elements)),
  fc.constantFrom([], [1, 'a'], ['a', [null]], { x: 1 }, { x: { y: ['a'] } }, new Uint8Array([1, 255])),
)
const key = fc.record({
  pk: fc.constantFrom('p', 'q'),
  sk: fc.constantFrom('a', 'a#1', 'a#2', 'b', 'é', '\u{1F600}'),
})
const name = fc.constantFrom(...NAMES)

/** An expression with its names and values. */
type Part = { text: string; names: string[]; values: Item }
const attribute: fc.Arbitrary<Part> = name.map(each => ({ text: `#${each}`, names: [each], values: {} }))
/** Values of one expression need names of their own, so the numbers in the names are spread evenly. */
const given = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<Part> =>
  fc
    .tuple(arbitrary, fc.noBias(fc.nat(2 ** 31 - 1)))
    .map(([each, id]) => ({ text: `:v${id}`, names: [], values: { [`:v${id}`]: each } }))

function join(parts: readonly Part[], toText: (...texts: string[]) => string): Part {
  return {
    text: toText(...parts.map(part => part.text)),
    names: [...new Set(parts.flatMap(part => part.names))],
    values: Object.assign({}, ...parts.map(part => part.values)),
  }
}

const combined = (arbitraries: fc.Arbitrary<Part>[], toText: (...texts: string[]) => string) =>
  fc.tuple(...arbitraries).map(parts => join(parts, toText))

const comparable = given(fc.oneof(number, text))
/** Not the empty text, which IN of dynalite never finds. */
const option = given(fc.oneof(number, fc.constantFrom(...TEXTS.filter(each => each !== ''))))
const sign = fc.constantFrom('=', '<>', '<', '<=', '>', '>=')
const { condition } = fc.letrec<{ condition: Part; simple: Part }>(tie => ({
  simple: fc.oneof(
    sign.chain(each => combined([attribute, comparable], (a, b) => `${a} ${each} ${b}`)),
    combined([attribute, given(value)], (a, b) => `${a} = ${b}`),
    combined([attribute], a => `attribute_exists(${a})`),
    combined([attribute], a => `attribute_not_exists(${a})`),
    combined([attribute, given(text)], (a, b) => `begins_with(${a}, ${b})`),
    combined([attribute, given(fc.oneof(text, number))], (a, b) => `contains(${a}, ${b})`),
    combined(
      [attribute, given(fc.constantFrom(-3, 0)), given(fc.constantFrom(0, 2))],
      (a, b, c) => `${a} BETWEEN ${b} AND ${c}`,
    ),
    combined([attribute, option, option], (a, b, c) => `${a} IN (${b}, ${c})`),
  ),
  condition: fc.oneof(
    { depthSize: 'small' },
    tie('simple'),
    combined([tie('condition'), tie('condition')], (a, b) => `${a} AND ${b}`),
    combined([tie('condition'), tie('condition')], (a, b) => `(${a}) OR ${b}`),
    combined([tie('condition')], a => `NOT (${a})`),
  ),
}))

const clause = fc.oneof(
  combined([attribute, given(value)], (a, b) => `SET ${a} = ${b}`),
  combined([attribute, given(fc.oneof(number, value))], (a, b) => `ADD ${a} ${b}`),
  combined([attribute], a => `REMOVE ${a}`),
  combined([attribute, given(value)], (a, b) => `DELETE ${a} ${b}`),
)
/** Sections of one clause each: DynamoDB takes each kind of section once. */
const updateText = fc
  .uniqueArray(clause, { minLength: 1, maxLength: 3, selector: each => each.text.split(' ')[0] })
  .map(parts => join(parts, (...texts) => texts.join(' ')))

const keyPart = fc.oneof(
  fc.constant({ text: '', names: [], values: {} } satisfies Part),
  fc
    .constantFrom('=', '<', '<=', '>', '>=')
    .chain(each => combined([given(fc.constantFrom('a', 'a#1', 'b'))], a => ` AND sk ${each} ${a}`)),
  combined([given(fc.constantFrom('a', 'a#', 'é'))], a => ` AND begins_with(sk, ${a})`),
  combined(
    [given(fc.constantFrom('a', 'a#1')), given(fc.constantFrom('a#2', 'é'))],
    (a, b) => ` AND sk BETWEEN ${a} AND ${b}`,
  ),
)

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

function toInput(options: Item, expressions: Record<string, Part | undefined>): Item {
  const parts = Object.entries(expressions).filter(([, part]) => part !== undefined) as [string, Part][]
  const { names, values } = join(
    parts.map(([, part]) => part),
    () => '',
  )
  return {
    ...options,
    ...Object.fromEntries(parts.map(([option, part]) => [option, part.text])),
    ...(names.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(names.map(each => [`#${each}`, each])),
    }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

const item = fc
  .tuple(key, fc.dictionary(name, value))
  .map(([keys, attributes]) => ({ ...attributes, ...keys }))
const page = fc.record({ Limit: maybe(fc.constantFrom(1, 2, 3)), ExclusiveStartKey: fc.constant(undefined) })
const request: fc.Arbitrary<Request> = fc.oneof(
  key.map(Key => ({ method: 'get' as Method, input: { Key } })),
  fc
    .tuple(item, maybe(condition), fc.constantFrom('NONE', 'ALL_OLD'))
    .map(([Item, ConditionExpression, ReturnValues]) => ({
      method: 'put' as Method,
      input: toInput({ Item, ReturnValues }, { ConditionExpression }),
    })),
  fc
    .tuple(key, updateText, maybe(condition), fc.constantFrom('NONE', 'ALL_NEW', 'ALL_OLD'))
    .map(([Key, UpdateExpression, ConditionExpression, ReturnValues]) => ({
      method: 'update' as Method,
      input: toInput({ Key, ReturnValues }, { UpdateExpression, ConditionExpression }),
    })),
  fc
    .tuple(key, maybe(condition), fc.constantFrom('NONE', 'ALL_OLD'))
    .map(([Key, ConditionExpression, ReturnValues]) => ({
      method: 'delete' as Method,
      input: toInput({ Key, ReturnValues }, { ConditionExpression }),
    })),
  fc
    .tuple(
      combined([given(fc.constantFrom('p', 'q')), keyPart], (a, b) => `pk = ${a}${b}`),
      maybe(condition),
      page,
      fc.boolean(),
    )
    .map(([KeyConditionExpression, FilterExpression, options, ScanIndexForward]) => ({
      method: 'query' as Method,
      input: toInput({ ...options, ScanIndexForward }, { KeyConditionExpression, FilterExpression }),
    })),
  maybe(condition).map(FilterExpression => ({
    method: 'scan' as Method,
    input: toInput({}, { FilterExpression }),
  })),
)

/** What a client gets: the response, all pages of it, or the name of the error. */
async function responseOf({ client, table }: StateTable, { method, input }: Request): Promise<unknown> {
  const call = client[method] as unknown as (input: Item) => Promise<Item>
  const pages: Item[] = []
  let start: unknown
  try {
    do {
      const { $metadata: _, ...response } = await call.call(client, {
        TableName: table,
        ...input,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      })
      pages.push(response)
      start = response.LastEvaluatedKey
    } while (start !== undefined)
  } catch (error) {
    return (error as Error).name
  }
  // The order of a scan is each table's own.
  if (method === 'scan') return new Set(pages.flatMap(({ Items }) => Items as Item[]).map(keyText))
  return pages.map(({ Attributes, Item: found, Items, Count, ScannedCount, LastEvaluatedKey }) => ({
    ...{ Attributes, Item: found, Items, Count, ScannedCount, LastEvaluatedKey },
  }))
}

function keyText({ pk, sk }: Item): string {
  return `${pk} ${sk}`
}

async function contentOf({ client, table }: StateTable): Promise<unknown> {
  const { Items = [] } = await client.scan({ TableName: table })
  return Items.toSorted((a, b) => (keyText(a) < keyText(b) ? -1 : 1))
}

test('random requests get the same responses and errors as from dynalite, and leave the same items', async () => {
  const counts: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 5, maxLength: 40, size: 'max' }), async requests => {
      await Promise.all([emptyTable(state), emptyTable(reference)])
      for (const each of requests) {
        const [response, expected] = await Promise.all([responseOf(state, each), responseOf(reference, each)])
        const kind = `${each.method} ${typeof expected === 'string' ? expected : 'succeeds'}`
        counts[kind] = (counts[kind] ?? 0) + 1
        expect(response, JSON.stringify(each)).toEqual(expected)
      }
      expect(await contentOf(state)).toEqual(await contentOf(reference))
    }),
    // A smaller counterexample takes minutes: each of its requests goes to dynalite.
    { ...propertySettings(20), endOnFailure: true },
  )
  // The requests reach what the property is about.
  for (const method of ['put', 'update', 'delete']) {
    expect(counts[`${method} succeeds`], method).toBeGreaterThan(10)
    expect(counts[`${method} ConditionalCheckFailedException`], method).toBeGreaterThan(10)
  }
  expect(counts['update ValidationException']).toBeGreaterThan(10)
  for (const method of ['get', 'query', 'scan'])
    expect(counts[`${method} succeeds`], method).toBeGreaterThan(10)
}, 120_000)
