import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  type ScanCommandInput,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import pLimit from 'p-limit'
import {
  isReceipt,
  KEY_HASH,
  mergeOf,
  PIPELINE_KEY,
  RECEIPT_PREFIX,
  restoreRuleOf,
  type StoredItem,
} from './kept-items.ts'
import { SECOND_MS, type Wait } from './wait.ts'

type Services = { dynamo: DynamoDBClient; wait: Wait }

export type Copied = {
  /** Items that were written, whole or in part. */
  items: number
  /** What stays as the table has it: ways to sign in, and accounts and projects that were deleted. */
  kept: number
  /** Items of the pipeline, which stay as the table has them. */
  pipeline: number
  /** Receipts of erasures that the table has and the moment had not. */
  erasures: number
  credentials: {
    /** Of the moment, and still in the table. */
    stay: number
    /** Of the moment, and not in the table: revoked, used up or expired since, or lost with the table. */
    ended: number
    /** How many of each kind have ended. */
    endedByKind: Record<string, number>
  }
}

/**
 * Parts of the table that are read at the same time. DynamoDB puts all items of one partition key into one
 * part, such as the persons of a project.
 */
const PARTS = 16
/**
 * Batches that are written at the same time, of whatever parts: with some 10 ms a write up to 40,000 items a
 * second, far above what a table takes at first.
 */
const WRITERS = 16
/** DynamoDB takes this many items in a call. */
const BATCH = 25
/** Tries of a batch whose items DynamoDB did not take, and the wait before each next one. */
const WRITE_TRIES = 20

/**
 * Writes the items of one table into another, over those with the same key. Items that were made after the
 * moment stay, and so does every end of access: of a credential counts what the table says, never the copy
 * (kept-items.ts). In an empty table all credentials have ended.
 */
export async function copyItems(services: Services, from: string, to: string): Promise<Copied> {
  const hasPipeline = await isInTable(services.dynamo, to, PIPELINE_KEY)
  const copied: Copied = {
    ...{ items: 0, kept: 0, pipeline: 0, erasures: 0 },
    credentials: { stay: 0, ended: 0, endedByKind: {} },
  }
  const limited = pLimit(WRITERS)
  const acts = { never: keepCredential, fill: fillItem, merge: mergeItem } as const
  /** Written last: without it, the same command again takes the other items of the pipeline once more. */
  let last: StoredItem[] = []
  /** The receipts of erasures that the moment had, by their partition key. */
  const receipts = new Set<string>()
  await inParts(copyPart)
  if (last.length > 0) await writeBatch(services, to, last)
  // A table without a pipeline got all its receipts from the copy, so there is nothing to count.
  if (hasPipeline) await inParts(countReceipts)
  return copied

  async function countReceipts(part: number): Promise<void> {
    const filter = {
      FilterExpression: 'begins_with(sk, :receipt)',
      ExpressionAttributeValues: { ':receipt': { S: RECEIPT_PREFIX } },
      ProjectionExpression: 'pk',
    }
    for await (const items of scanPart(services.dynamo, to, part, filter))
      copied.erasures += items.filter(({ pk }) => !receipts.has(pk?.S ?? '')).length
  }

  async function copyPart(part: number): Promise<void> {
    for await (const Items of scanPart(services.dynamo, from, part)) {
      for (const item of Items) if (isReceipt(item)) receipts.add(item.pk?.S ?? '')
      const written: StoredItem[] = []
      for (const [rule, items] of Map.groupBy(Items, restoreRuleOf)) {
        if (rule === 'write' || (rule === 'pipeline' && !hasPipeline)) written.push(...items)
        else if (rule === 'pipeline') copied.pipeline += items.length
        else
          for (const batch of slices(items))
            await Promise.all(batch.map(item => acts[rule](services.dynamo, to, item, copied)))
      }
      const [epoch, others] = [written.filter(isPipelineItem), written.filter(item => !isPipelineItem(item))]
      last = [...last, ...epoch]
      await Promise.all(slices(others).map(batch => limited(() => writeBatch(services, to, batch))))
      copied.items += written.length
    }
  }
}

async function inParts(run: (part: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: PARTS }, (_, part) => run(part)))
}

/** The items of one part of a table, page by page. */
async function* scanPart(
  client: DynamoDBClient,
  TableName: string,
  Segment: number,
  filter: Partial<ScanCommandInput> = {},
): AsyncGenerator<StoredItem[]> {
  const scan = { TableName, ConsistentRead: true, Segment, TotalSegments: PARTS }
  for await (const { Items = [] } of paginateScan({ client }, { ...scan, ...filter })) yield Items
}

function isPipelineItem({ pk, sk }: StoredItem): boolean {
  return pk?.S === PIPELINE_KEY.pk.S && sk?.S === PIPELINE_KEY.sk.S
}

/** Whether the table has the item. */
export async function isInTable(
  dynamo: DynamoDBClient,
  TableName: string,
  Key: StoredItem,
): Promise<boolean> {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName, Key, ProjectionExpression: 'pk', ConsistentRead: true }),
  )
  return Item !== undefined
}

/** What the operator must know of the credentials. */
export function describeCopied({ items, kept, pipeline, erasures, credentials }: Copied): string {
  const { stay, ended, endedByKind } = credentials
  const lines = [`${items}; ${kept} ways to sign in and deleted accounts or projects stay as they are.`]
  if (pipeline > 0)
    lines.push(
      `${pipeline} items of the pipeline, of persons and of counters are not taken: the table has newer ones. Erasures since the moment stay in force: ${erasures}.`,
    )
  else
    lines.push(
      'THE TABLE HAD NO PIPELINE: persons who were erased since the moment are erased again (`erased` below), without their receipts. If the moment is more than two days ago, send older erasures again.',
    )
  const kinds = Object.entries(endedByKind).map(([kind, count]) => `${kind} ${count}`)
  if (ended > 0)
    lines.push(
      stay === 0
        ? `ALL ${ended} CREDENTIALS OF THE MOMENT HAVE ENDED, because the table does not have them: sign in again, and make new API keys, sessions and share links.`
        : `Credentials are those of the table and not of the moment: ${stay} stay, ${ended} have ended (${kinds.join(', ')}).`,
    )
  return lines.join(' ')
}

/** Counts a credential of the moment. */
function countCredential({ credentials }: Copied, kind: string, stays: boolean): void {
  credentials[stays ? 'stay' : 'ended']++
  if (!stays) credentials.endedByKind[kind] = (credentials.endedByKind[kind] ?? 0) + 1
}

/** The kind in the key of an item: of an entity, or of items with keys of their own. */
function kindOf({ pk, sk }: StoredItem): string {
  return /^\$(\w+)_\d+(#|$)/.exec(String(sk?.S))?.[1] ?? String(pk?.S).split('#')[0] ?? ''
}

async function keepCredential(dynamo: DynamoDBClient, to: string, item: StoredItem, copied: Copied) {
  countCredential(copied, kindOf(item), await isInTable(dynamo, to, keyOf(item)))
}

async function fillItem(dynamo: DynamoDBClient, to: string, Item: StoredItem, copied: Copied) {
  const put = new PutItemCommand({ TableName: to, Item, ConditionExpression: 'attribute_not_exists(pk)' })
  copied[(await held(dynamo.send(put))) === null ? 'kept' : 'items']++
}

/** One write, so that a key that is replaced meanwhile stays replaced. */
async function mergeItem(dynamo: DynamoDBClient, to: string, item: StoredItem, copied: Copied) {
  const update = new UpdateItemCommand({
    TableName: to,
    Key: keyOf(item),
    ReturnValues: 'ALL_OLD',
    ...mergeOf(item),
  })
  const old = await held(dynamo.send(update))
  copied[old === null ? 'kept' : 'items']++
  if (item[KEY_HASH] === undefined) return
  countCredential(copied, 'apikey', old?.Attributes?.[KEY_HASH]?.S === item[KEY_HASH].S)
}

/** The result of a conditional write, or null if its condition did not hold. */
async function held<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return null
    throw error
  }
}

async function writeBatch(
  { dynamo, wait }: Services,
  table: string,
  items: readonly StoredItem[],
): Promise<void> {
  let requests: WriteRequest[] = items.map(Item => ({ PutRequest: { Item } }))
  await wait.until(
    async () => {
      const { UnprocessedItems = {} } = await dynamo.send(
        new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
      )
      requests = UnprocessedItems[table] ?? []
      return requests.length === 0
    },
    {
      everyMs: SECOND_MS,
      tries: WRITE_TRIES,
      problem: `The table ${table} takes no items. Run the command again.`,
    },
  )
}

function keyOf({ pk, sk }: StoredItem): StoredItem {
  return { pk, sk } as StoredItem
}

function slices<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, i) =>
    items.slice(i * BATCH, (i + 1) * BATCH),
  )
}
