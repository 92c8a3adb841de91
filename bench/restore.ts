import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { copyItems } from '#lib/restore/copy-items'
import { createWait } from '#lib/restore/wait'

/**
 * `npm run bench -- restore --people 100000`: what copying the items of a lost table costs, by the code and
 * the client of `npm run restore`. The table is in this process, keeps no items, and answers as late as
 * DynamoDB usually does. So the seconds are those of an account whose table takes what is written at once,
 * and the processor time is that of the machine of the operator.
 */

/** How many items one person has who has a link, traits and an address. */
const ITEMS_OF_PERSON = 4
/** A page of a scan has 1 MB. */
const PAGE_BYTES = 1024 * 1024
/** Usual times of DynamoDB for 25 items, and for a page, ms. */
const WRITE_MS = 10
const PAGE_MS = 20

const { values } = parseArgs({ options: { people: { type: 'string', default: '100000' } } })
const people = Number(values.people)
let [written, calls] = [0, 0]

/** The items of a person, as the service writes them. */
function itemsOf(person: number): object[] {
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

const PEOPLE_OF_PAGE = Math.floor(PAGE_BYTES / JSON.stringify(itemsOf(0)).length)

function answer(target: string, request: Record<string, never>): object {
  if (target === 'GetItem') return {}
  if (target === 'BatchWriteItem') {
    written += (Object.values(request.RequestItems ?? {}) as unknown[][])[0]?.length ?? 0
    return { UnprocessedItems: {} }
  }
  const { Segment = 0, TotalSegments = 1 } = request
  const until = Math.floor(((Number(Segment) + 1) * people) / Number(TotalSegments))
  const start = (request.ExclusiveStartKey as { sk: { N: string } } | undefined)?.sk.N
  const from = Number(start ?? Math.floor((Number(Segment) * people) / Number(TotalSegments)))
  const end = Math.min(until, from + PEOPLE_OF_PAGE)
  const Items = Array.from({ length: end - from }, (_, i) => itemsOf(from + i)).flat()
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
if (written !== people * ITEMS_OF_PERSON) throw new Error(`${written} items were written.`)
process.stdout.write(
  `${people} people, ${written} items, ${calls} calls: ${seconds.toFixed(1)} s, processor ${((user + system) / 1e6).toFixed(1)} s, ${Math.round(written / seconds)} items a second\n`,
)
