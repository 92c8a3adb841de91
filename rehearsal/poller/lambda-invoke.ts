import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { Outcome } from './deliver.ts'
import type { PolledRecord } from './shard.ts'

export type InvokeSettings = {
  client: LambdaClient
  functionName: string
  streamArn: string
  /** A field of each record, which no code uses. */
  roleArn: string
}

/** Creates a function that calls Lambda with records, in the same event shape as Lambda's own poller. */
export function createLambdaInvoke(settings: InvokeSettings) {
  return async function invoke(shard: string, records: readonly PolledRecord[]): Promise<Outcome> {
    try {
      const { FunctionError, Payload } = await settings.client.send(
        new InvokeCommand({
          FunctionName: settings.functionName,
          Payload: Buffer.from(JSON.stringify(kinesisEvent(settings, shard, records))),
        }),
      )
      const payload = Payload === undefined ? '' : Buffer.from(Payload).toString('utf8')
      if (FunctionError !== undefined) return { kind: 'failed', reason: `${FunctionError}: ${payload}` }
      return { kind: 'responded', response: payload === '' ? null : JSON.parse(payload) }
    } catch (error) {
      return { kind: 'refused', reason: String(error) }
    }
  }
}

/** Builds the event (docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html, Example event). */
function kinesisEvent(
  { streamArn, roleArn }: InvokeSettings,
  shard: string,
  records: readonly PolledRecord[],
) {
  const region = streamArn.split(':')[3]
  return {
    Records: records.map(({ sequence, partitionKey, data, arrivedAt }) => ({
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey,
        sequenceNumber: sequence,
        data: Buffer.from(data).toString('base64'),
        approximateArrivalTimestamp: arrivedAt / 1_000,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `${shard}:${sequence}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: roleArn,
      awsRegion: region,
      eventSourceARN: streamArn,
    })),
  }
}
