import {
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  UpdateItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { KEY_HASH, mergeOf, type RestoreRule, restoreRuleOf, type StoredItem } from './kept-items.ts'
import { SECOND_MS, type Wait } from './wait.ts'

type Services = { dynamo: DynamoDBClient; wait: Wait }

export type Copied = {
  /** Items that were written, whole or in part. */
  items: number
  /** What stays as the table has it: ways to sign in, and accounts and projects that were deleted. */
  kept: number
  credentials: {
    /** Of the moment, and still in the table. */
    stay: number
    /** Of the moment, and not in the table: revoked, used up or expired since, or lost with the table. */
    ended: number
  }
}

/** DynamoDB takes this many items in a call. Also the calls that run at the same time. */
const BATCH = 25
/** Tries of a batch whose items DynamoDB did not take, and the wait before each next one. */
const WRITE_TRIES = 20

/**
 * Writes the items of one table into another, over those with the same key. Items that were made after the
 * moment stay, and so does every end of access: of a credential counts what the table says, never the copy
 * (kept-items.ts). In an empty table all credentials have ended.
 */
export async function copyItems(services: Services, from: string, to: string): Promise<Copied> {
  const copied: Copied = { items: 0, kept: 0, credentials: { stay: 0, ended: 0 } }
  const acts = { write: null, never: keepCredential, fill: fillItem, merge: mergeItem } as const
  for await (const { Items = [] } of paginateScan(
    { client: services.dynamo },
    { TableName: from, ConsistentRead: true },
  )) {
    const byRule = Map.groupBy(Items, restoreRuleOf)
    for (const batch of slices(byRule.get('write') ?? [])) await writeBatch(services, to, batch)
    copied.items += byRule.get('write')?.length ?? 0
    for (const [rule, items] of byRule) {
      const act = acts[rule satisfies RestoreRule]
      if (act === null) continue
      for (const batch of slices(items))
        await Promise.all(batch.map(item => act(services.dynamo, to, item, copied)))
    }
  }
  return copied
}

/** What the operator must know of the credentials. */
export function describeCopied({ items, kept, credentials: { stay, ended } }: Copied): string {
  const lines = [`${items}; ${kept} ways to sign in and deleted accounts or projects stay as they are.`]
  if (ended > 0)
    lines.push(
      stay === 0
        ? `ALL ${ended} CREDENTIALS OF THE MOMENT HAVE ENDED, because the table does not have them: sign in again, and make new API keys, sessions and share links.`
        : `Credentials are those of the table and not of the moment: ${stay} stay, ${ended} have ended.`,
    )
  return lines.join(' ')
}

async function keepCredential(dynamo: DynamoDBClient, to: string, item: StoredItem, copied: Copied) {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: to, Key: keyOf(item), ProjectionExpression: 'pk', ConsistentRead: true }),
  )
  copied.credentials[Item === undefined ? 'ended' : 'stay']++
}

async function fillItem(dynamo: DynamoDBClient, to: string, Item: StoredItem, copied: Copied) {
  const put = new PutItemCommand({ TableName: to, Item, ConditionExpression: 'attribute_not_exists(pk)' })
  copied[(await held(dynamo.send(put))) === null ? 'kept' : 'items']++
}

/** One write, so that a key that is replaced meanwhile stays replaced. */
async function mergeItem(dynamo: DynamoDBClient, to: string, item: StoredItem, copied: Copied) {
  const update = new UpdateItemCommand({
    ...{ TableName: to, Key: keyOf(item), ReturnValues: 'ALL_OLD' },
    ...mergeOf(item),
  })
  const old = await held(dynamo.send(update))
  copied[old === null ? 'kept' : 'items']++
  if (item[KEY_HASH] === undefined) return
  copied.credentials[old?.Attributes?.[KEY_HASH]?.S === item[KEY_HASH].S ? 'stay' : 'ended']++
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

function* slices<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
