import { readCondition } from './condition.ts'
import { ItemError, invalid, unsupported } from './item-error.ts'
import type { ItemFile, Page } from './item-file.ts'
import { type Range, readKeyCondition } from './key-condition.ts'
import { readTokens, type Scope, type Tokens } from './tokens.ts'
import { readUpdate, type Update } from './update.ts'
import { copyValue, decodeItem, type Item, toRow } from './values.ts'

/** A page of a query or scan has at most so many characters of items. DynamoDB bounds it by 1 MB. */
const PAGE_CHARACTERS = 1_048_576
/**
 * DynamoDB reads and writes at most this many items in one request, and takes keys of at most this many
 * bytes.
 */
const BATCH_READS = 100
const BATCH_WRITES = 25
const MAX_KEY_BYTES = { pk: 2_048, sk: 1_024 }
/**
 * Expressions that are kept parsed, of each kind. Code and ElectroDB send about 60; names of days make a few
 * more.
 */
const KEPT_EXPRESSIONS = 500

type Input = Record<string, unknown>
type Parsed<T> = { result: T; placeholders: ReadonlySet<string> }

/**
 * The requests of DynamoDB that our code sends, on one file: what a request takes and returns is what the
 * document client takes and returns (test/contract/state-table.ts). A request with anything else is refused,
 * so that nothing is ignored silently.
 */
export function createRequests(file: ItemFile, table: string) {
  const parseCondition = cached(readCondition)
  const parseKeyCondition = cached(readKeyCondition)
  const parseUpdate = cached(readUpdate)

  /**
   * Replaces the item of a key by what `toItem` makes of it. The condition is checked in the same
   * transaction.
   */
  async function change(
    input: Input,
    Key: unknown,
    toItem: (before: Item | undefined, scope: Scope) => Item | undefined,
    update?: Parsed<Update>,
  ): Promise<{ before: Item | undefined; after: Item | undefined }> {
    const { pk, sk } = checkKey(Key)
    const condition = parse(parseCondition, input.ConditionExpression)
    const scope = scopeOf(input, [condition, update])
    // A wrong value is refused whether the condition holds or not.
    update?.result({ ...scope, item: {} })
    return file.write(() => {
      const text = file.get(pk, sk)
      const before = text === undefined ? undefined : decodeItem(text)
      if (condition !== undefined && !condition.result({ ...scope, item: before ?? {} }))
        throw new ItemError('ConditionalCheckFailedException', 'The conditional request failed')
      const after = toItem(before, scope)
      if (after === undefined) file.remove(pk, sk)
      else file.put(toRow(after))
      return { before, after }
    })
  }

  const requests = {
    async Get(input: Input) {
      checkOptions(input, ['Key', 'ConsistentRead'])
      const { pk, sk } = checkKey(input.Key)
      const text = await file.read(() => file.get(pk, sk))
      return { Item: text === undefined ? undefined : decodeItem(text) }
    },

    async BatchGet(input: Input) {
      const { Keys, ...options } = requestOfTable(input) as Input & { Keys?: unknown[] }
      checkOptions({ TableName: table, ...options }, ['ConsistentRead'])
      const keys = checkBatch(Keys, BATCH_READS).map(checkKey)
      checkUnique(keys)
      const texts = await Promise.all(keys.map(({ pk, sk }) => file.read(() => file.get(pk, sk))))
      const items = texts.filter(text => text !== undefined).map(decodeItem)
      return { Responses: { [table]: items }, UnprocessedKeys: {} }
    },

    async Put(input: Input) {
      checkOptions(input, ['Item', ...CONDITION, 'ReturnValues'])
      const item = input.Item as Item
      const { before } = await change(input, keyOf(item), () => item)
      return returned(input, { ALL_OLD: before })
    },

    async Delete(input: Input) {
      checkOptions(input, ['Key', ...CONDITION, 'ReturnValues'])
      const { before } = await change(input, input.Key, () => undefined)
      return returned(input, { ALL_OLD: before })
    },

    async Update(input: Input) {
      checkOptions(input, ['Key', 'UpdateExpression', ...CONDITION, 'ReturnValues'])
      const update = parse(parseUpdate, input.UpdateExpression)
      const applyUpdate = (stored: Item | undefined, scope: Scope) => {
        const item = { ...(stored ?? (input.Key as Item)) }
        update?.result({ ...scope, item })
        return item
      }
      const { before, after } = await change(input, input.Key, applyUpdate, update)
      return returned(input, { ALL_OLD: before, ALL_NEW: after && (copyValue(after) as Item) })
    },

    async BatchWrite(input: Input) {
      checkOptions({ TableName: table, ...input }, ['RequestItems'])
      const writes = checkBatch(requestOfTable(input), BATCH_WRITES) as BatchWrite[]
      const rows = writes.map(({ PutRequest, DeleteRequest }) => ({
        ...checkKey(PutRequest === undefined ? DeleteRequest?.Key : keyOf(PutRequest.Item)),
        row: PutRequest && toRow(PutRequest.Item),
      }))
      checkUnique(rows)
      await file.write(() => {
        for (const { pk, sk, row } of rows) {
          if (row === undefined) file.remove(pk, sk)
          else file.put(row)
        }
      })
      return { UnprocessedItems: {} }
    },

    async Query(input: Input) {
      checkOptions(input, ['KeyConditionExpression', 'ScanIndexForward', ...PAGE])
      const keys = parse(parseKeyCondition, input.KeyConditionExpression)
      if (keys === undefined)
        throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified')
      return readPage(input, keys)
    },

    async Scan(input: Input) {
      checkOptions(input, PAGE)
      return readPage(input, undefined)
    },
  }

  async function readPage(input: Input, keys: Parsed<(scope: Scope) => Range> | undefined) {
    const filter = parse(parseCondition, input.FilterExpression)
    const projection = parseProjection(input.ProjectionExpression)
    const scope = scopeOf(input, [keys, filter, projection])
    const limit = input.Limit as number | undefined
    if (limit !== undefined && limit < 1) throw invalid('Limit must be at least 1')
    const page = toPage(keys?.result(scope), input)
    return file.read(() => {
      const items: Item[] = []
      let [scanned, characters, last]: [number, number, Item | undefined] = [0, 0, undefined]
      for (const text of file.page(page)) {
        scanned += 1
        characters += text.length
        const item = decodeItem(text)
        if (filter === undefined || filter.result({ ...scope, item }))
          items.push(project(item, projection?.result(scope)))
        if (scanned !== limit && characters < PAGE_CHARACTERS) continue
        last = keyOf(item)
        break
      }
      return { Items: items, Count: items.length, ScannedCount: scanned, LastEvaluatedKey: last }
    })
  }

  function requestOfTable({ RequestItems }: Input): unknown {
    const { [table]: request, ...others } = (RequestItems ?? {}) as Input
    if (request === undefined || Object.keys(others).length > 0) throw notFound()
    return request
  }

  function checkOptions({ TableName, ...options }: Input, known: readonly string[]): void {
    if (TableName !== table) throw notFound()
    const unknown = Object.keys(options).find(name => options[name] !== undefined && !known.includes(name))
    if (unknown !== undefined) throw unsupported(`the option ${unknown}`)
  }

  return requests
}

export type Requests = ReturnType<typeof createRequests>

const NAMES = ['ExpressionAttributeNames', 'ExpressionAttributeValues']
const CONDITION = ['ConditionExpression', ...NAMES]
const PAGE = [
  'FilterExpression',
  'ProjectionExpression',
  'ExclusiveStartKey',
  'Limit',
  'ConsistentRead',
  ...NAMES,
]

type BatchWrite = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: unknown } }

/** Keeps what an expression was parsed to. */
function cached<T>(read: (tokens: Tokens) => T): (text: string) => Parsed<T> {
  const kept = new Map<string, Parsed<T>>()
  return text => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const tokens = readTokens(text)
    const parsed = { result: read(tokens), placeholders: tokens.placeholders }
    if (tokens.peek() !== undefined)
      throw invalid(`The expression has more than expected, from “${tokens.peek()}”: ${text}`)
    if (kept.size >= KEPT_EXPRESSIONS) kept.clear()
    kept.set(text, parsed)
    return parsed
  }
}

const parseNames = cached(tokens => {
  const names = tokens.list(() => tokens.name())
  return (scope: Scope) => names.map(name => name(scope))
})

function parseProjection(text: unknown) {
  return parse(parseNames, text)
}

function parse<T>(read: (text: string) => Parsed<T>, text: unknown): Parsed<T> | undefined {
  return text === undefined ? undefined : read(text as string)
}

/** The names and values of a request. DynamoDB refuses those that no expression uses. */
function scopeOf(input: Input, expressions: readonly (Parsed<unknown> | undefined)[]): Scope {
  const names = (input.ExpressionAttributeNames ?? {}) as Record<string, string>
  const values = (input.ExpressionAttributeValues ?? {}) as Record<string, unknown>
  const isUsed = (name: string) => expressions.some(expression => expression?.placeholders.has(name))
  const unused = [...Object.keys(names), ...Object.keys(values)].find(name => !isUsed(name))
  if (unused !== undefined) throw invalid(`Value provided in the request unused in expressions: ${unused}`)
  return { item: {}, names, values }
}

/** Whether nothing of the item before is needed. */
function isBlind({ ReturnValues }: Input): boolean {
  return ReturnValues === undefined || ReturnValues === 'NONE'
}

function returned(input: Input, offered: Record<string, Item | undefined>) {
  if (isBlind(input)) return {}
  const name = String(input.ReturnValues)
  if (!(name in offered)) throw unsupported(`ReturnValues ${name}`)
  return { Attributes: offered[name] }
}

/** The items that a page may have, in its order. A page begins after the last item of the page before. */
function toPage(range: Range | undefined, { ScanIndexForward, ExclusiveStartKey }: Input): Page {
  const isForward = ScanIndexForward !== false
  const start = ExclusiveStartKey === undefined ? undefined : checkKey(ExclusiveStartKey)
  if (range === undefined) {
    const conditions = start === undefined ? [] : [{ sql: '(pk, sk) > (?, ?)', values: [start.pk, start.sk] }]
    return { conditions, isForward }
  }
  const { pk, lower, upper } = range
  if (start !== undefined && start.pk !== pk)
    throw invalid('The provided starting key is outside query boundaries')
  // SQLite seeks by the first bound, and would read all items from the beginning of the range to the start of
  // the page.
  const begin = start && { sql: isForward ? 'sk > ?' : 'sk < ?', value: start.sk }
  const bounds = [begin, lower, upper].filter(bound => bound !== undefined)
  return {
    conditions: [
      { sql: 'pk = ?', values: [pk] },
      ...bounds.map(({ sql, value }) => ({ sql, values: [value] })),
    ],
    isForward,
  }
}

function project(item: Item, names: readonly string[] | undefined): Item {
  if (names === undefined) return item
  return Object.fromEntries(names.filter(name => Object.hasOwn(item, name)).map(name => [name, item[name]]))
}

function keyOf({ pk, sk }: Item) {
  return { pk, sk }
}

function checkKey(key: unknown): { pk: string; sk: string } {
  const { pk, sk, ...others } = Object(key) as Item
  for (const [name, part] of Object.entries({ pk, sk })) {
    const max = MAX_KEY_BYTES[name as 'pk' | 'sk']
    if (typeof part !== 'string' || part === '' || Buffer.byteLength(part) > max)
      throw invalid(`The key attribute ${name} must be a text of 1 to ${max} bytes`)
  }
  if (Object.keys(others).length > 0) throw invalid('The provided key element does not match the schema')
  return { pk: pk as string, sk: sk as string }
}

function checkBatch(requests: unknown, max: number): unknown[] {
  if (Array.isArray(requests) && requests.length > 0 && requests.length <= max) return requests
  throw invalid(`A batch has 1 to ${max} requests`)
}

function checkUnique(keys: readonly { pk: string; sk: string }[]): void {
  if (new Set(keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < keys.length)
    throw invalid('Provided list of item keys contains duplicates')
}

function notFound(): ItemError {
  return new ItemError('ResourceNotFoundException', 'Requested resource not found')
}
