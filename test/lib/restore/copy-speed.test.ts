import {
  BatchWriteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  type ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { copyItems } from '#lib/restore/copy-items'
import { createWait } from '#lib/restore/wait'

/** A page of a scan has 1 MB: so many items of 250 bytes. */
const PAGE_ITEMS = 4_000
const ITEMS = 128_000

/**
 * A table whose every call takes one step of a clock of its own. `parts`: the parts of it that have items.
 * Returns the steps, which are the waits of the longest chain of calls, and the most calls at a time.
 */
async function stepsOfCopy(parts: number): Promise<{ steps: number; most: number }> {
  const waiting: (() => void)[] = []
  let [steps, written, most] = [0, 0, 0]
  const answer = (command: unknown): object => {
    if (command instanceof GetItemCommand) return {}
    if (command instanceof BatchWriteItemCommand) {
      written += command.input.RequestItems?.to?.length ?? 0
      return {}
    }
    const { Segment = 0, ExclusiveStartKey } = (command as ScanCommand).input
    if (Segment >= parts) return { Items: [] }
    const size = ITEMS / parts
    const from = Number(ExclusiveStartKey?.pk?.N ?? 0)
    const count = Math.min(PAGE_ITEMS, size - from)
    const Items = Array.from({ length: count }, (_, i) => ({
      pk: { S: `x#${Segment}` },
      sk: { S: `${from + i}` },
    }))
    const isLast = from + count >= size
    return { Items, ...(!isLast && { LastEvaluatedKey: { pk: { N: String(from + count) } } }) }
  }
  const send = async (command: unknown) => {
    await new Promise<void>(resolve => waiting.push(resolve))
    return answer(command)
  }
  // The paginator asks whether it has a client.
  const dynamo: DynamoDBClient = Object.assign(Object.create(DynamoDBClient.prototype), { send })
  const copied = copyItems({ dynamo, wait: createWait(async () => {}) }, 'from', 'to')
  let isDone = false
  void copied.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve))
    if (waiting.length === 0) continue
    steps++
    most = Math.max(most, waiting.length)
    for (const resolve of waiting.splice(0)) resolve()
  }
  expect(written).toBe(ITEMS)
  return { steps, most }
}

test.each([
  ['read and written in 16 parts', 16],
  ['written 16 batches at a time also where one project has all items, which are in one part', 1],
])('a table is %s: the longest chain of calls is a sixteenth of all calls', async (_, parts) => {
  const calls = ITEMS / 25 + ITEMS / PAGE_ITEMS
  const { steps, most } = await stepsOfCopy(parts)
  // The pages of one part are read one after the other.
  expect(steps).toBeLessThan(calls / 15 + ITEMS / PAGE_ITEMS / parts)
  // Readers and writers.
  expect(most).toBeLessThanOrEqual(16 + 16)
})
