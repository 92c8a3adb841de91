import { readFileSync } from 'node:fs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import type { StreamEntry } from '#core/ports'

export type HttpEvent = {
  routeKey: string
  rawPath: string
  rawQueryString: string
  headers: Record<string, string>
  requestContext: { http: { method: string } }
  pathParameters?: Record<string, string>
  cookies?: string[]
  body?: string
  isBase64Encoded: boolean
}
export type HttpResult = {
  statusCode: number
  headers: Record<string, string>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}
export type SqsEvent = { Records: [{ messageId: string; body: string }] }
export type BatchResult = { batchItemFailures: { itemIdentifier: string }[] }

const EVENTS = new URL('../fixtures/lambda-events/', import.meta.url)

/** Returns a copy of an event in test/fixtures/lambda-events, after `change` has edited it. */
export function exampleEvent<E>(name: string, change: (event: E) => void = () => {}): E {
  const event: E = JSON.parse(readFileSync(new URL(`${name}.json`, EVENTS), 'utf8'))
  change(event)
  return event
}

/** Returns the event in which a Kinesis event source mapping passes these entries of a shard. */
export function kinesisEvent(shard: string, entries: readonly StreamEntry[]) {
  type KinesisEvent = { Records: { eventID: string; kinesis: { sequenceNumber: string; data: string } }[] }
  return exampleEvent<KinesisEvent>('kinesis', event => {
    const [record] = event.Records as [KinesisEvent['Records'][number]]
    event.Records = entries.map(({ sequence, data }) => ({
      ...record,
      eventID: `${shard}:${sequence}`,
      kinesis: {
        ...record.kinesis,
        sequenceNumber: sequence,
        data: Buffer.from(data).toString('base64'),
      },
    }))
  })
}

/** Returns the event in which an SQS event source mapping passes these messages. */
export function sqsEvent(messages: readonly { id: string; body: string; receives: number }[]): SQSEvent {
  return exampleEvent<SQSEvent>('sqs', event => {
    const [record] = event.Records as [SQSRecord]
    event.Records = messages.map(({ id, body, receives }) => ({
      ...record,
      messageId: id,
      body,
      attributes: { ...record.attributes, ApproximateReceiveCount: String(receives) },
    }))
  })
}
