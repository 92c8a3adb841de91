import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { copyItems } from '#lib/restore/copy-items'
import { createWait } from '#lib/restore/wait'

/**
 * `npm run bench -- restore --people 1000000`: what copying the items of a lost table costs, by the code and
 * the client of `npm run restore`. The table is in this process, keeps no items, and answers as late as
 * DynamoDB usually does. So the seconds are those of an account whose table takes what is written at once,
 * and the processor time is that of the machine of the operator. Beside them it prints the units that
 * DynamoDB bills, and the seconds that a new table takes for them by its limits.
 * --projects 1000   projects that have the people; DynamoDB reads those of one project in one part
 * --pipeline        the table still has its pipeline, so that no item of a person is written
 */

/** How many items one person has who has a link, traits and an address. */
const ITEMS_OF_PERSON = 4
/** A page of a scan has 1 MB. */
const PAGE_BYTES = 1024 * 1024
/** Usual times of DynamoDB for 25 items, and for a page, ms. */
const WRITE_MS = 10
const PAGE_MS = 20

/** A write unit is 1 KB of an item, a read unit 4 KB of a page that is read consistently. */
const WRITE_UNIT_BYTES = 1024
const READ_UNIT_BYTES = 4096
/** Units a second of a new on-demand table. After half an hour of them it takes twice as much. */
const NEW_TABLE = { writes: 4_000, reads: 12_000 }

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    projects: { type: 'string', default: '1000' },
    pipeline: { type: 'boolean', default: false },
  },
})
const people = Number(values.people)
let [written, calls, writeUnits, readUnits] = [0, 0, 0, 0]

type Item = Record<string, { S?: string; N?: string }>

/** The items of a person, as the service writes them. */
function itemsOf(person: number): Item[] {
  const [previous_id, user_id] = [`anon_${String(person).padStart(32, '0')}`, `user-${person}@shop`]
  const [from, to, email] = [previous_id, user_id, `${user_id}.example.com`].map(text =>
    createHash('sha256').update(text).digest('hex'),
  ) as [string, string, string]
  const pk = { S: 'identity#proj_0123456789abcdef' }
  const arrival = { at: { N: '1795974320622' }, seq: { N: String(person) } }
  const traits = { S: JSON.stringify({ plan: 'pro', company: 'A shop of some size', seats: 12 }) }
  return [
    {
      pk,
      sk: { S: `to#${from.slice(0, 32)}` },
      previous_id: { S: previous_id },
      user_id: { S: user_id },
      ...arrival,
    },
    { pk, sk: { S: `traits#${to.slice(0, 32)}` }, user_id: { S: user_id }, traits, ...arrival },
    {
      pk,
      sk: { S: `email-of#${to.slice(0, 32)}` },
      user_id: { S: user_id },
      email_hash: { S: email },
      ...arrival,
    },
    { pk, sk: { S: `email#${email}#${to.slice(0, 32)}` }, user_id: { S: user_id } },
  ]
}

/** The bytes of an item as DynamoDB counts them: names and values. A number has a byte for two digits. */
function bytesOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, { S = '', N = '' }]) => sum + name.length + Buffer.byteLength(S) + Math.ceil(N.length / 2),
    0,
  )
}

const PEOPLE_OF_PAGE = Math.floor(PAGE_BYTES / JSON.stringify(itemsOf(0)).length)

function answer(target: string, request: Record<string, never>): object {
  if (target === 'GetItem') return values.pipeline ? { Item: { pk: { S: '$footfall' } } } : {}
  if (target === 'BatchWriteItem') {
    const [puts = []] = Object.values(request.RequestItems ?? {}) as { PutRequest: { Item: Item } }[][]
    written += puts.length
    for (const { PutRequest } of puts) writeUnits += Math.ceil(bytesOf(PutRequest.Item) / WRITE_UNIT_BYTES)
    return { UnprocessedItems: {} }
  }
  const { Segment = 0, TotalSegments = 1 } = request
  const parts = Math.min(Number(TotalSegments), Number(values.projects))
  if (Number(Segment) >= parts) return { Items: [] }
  const until = Math.floor(((Number(Segment) + 1) * people) / parts)
  const start = (request.ExclusiveStartKey as { sk: { N: string } } | undefined)?.sk.N
  const from = Number(start ?? Math.floor((Number(Segment) * people) / parts))
  const end = Math.min(until, from + PEOPLE_OF_PAGE)
  const read = Array.from({ length: end - from }, (_, i) => itemsOf(from + i)).flat()
  readUnits += Math.ceil(read.reduce((sum, item) => sum + bytesOf(item), 0) / READ_UNIT_BYTES)
  // What a filter leaves out is read too.
  const Items = 'FilterExpression' in request ? [] : read
  return { Items, ...(end < until && { LastEvaluatedKey: { sk: { N: String(end) } } }) }
}

const requestHandler = {
  metadata: { handlerProtocol: 'http/1.1' },
  async handle({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) {
    calls++
    const target = String(headers['x-amz-target']).split('.')[1] ?? ''
    await sleep(target === 'Scan' ? PAGE_MS : WRITE_MS)
    const text = JSON.stringify(answer(target, JSON.parse(Buffer.from(body).toString())))
    const response = {
      statusCode: 200,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: Readable.from([Buffer.from(text)]),
    }
    return { response }
  },
}

const dynamo = new DynamoDBClient({
  region: 'us-east-1',
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  requestHandler: requestHandler as never,
})
const startedAt = performance.now()
const cpu = process.cpuUsage()
await copyItems({ dynamo, wait: createWait(sleep) }, 'from', 'to')
const seconds = (performance.now() - startedAt) / 1_000
const { user, system } = process.cpuUsage(cpu)
const expected = values.pipeline ? 0 : people * ITEMS_OF_PERSON
if (written !== expected) throw new Error(`${written} items were written.`)
process.stdout.write(
  `${people} people, ${written} items, ${calls} calls: ${seconds.toFixed(1)} s, processor ${((user + system) / 1e6).toFixed(1)} s, ${Math.round(written / seconds)} items a second\n` +
    `${writeUnits} write units take a new table ${Math.round(writeUnits / NEW_TABLE.writes)} s, ${readUnits} read units ${Math.round(readUnits / NEW_TABLE.reads)} s\n`,
)
