import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { Outcome } from './deliver.ts'
import type { PolledRecord } from './shard.ts'

export type InvokeSettings = {
  client: LambdaClient
  functionName: string
  streamArn: string
  /** Told in each record; nothing depends on it. */
  roleArn: string
}

/** Calls a function by Lambda's Invoke with the event that Lambda's own poller makes of a shard's records. */
export function lambdaInvoke(settings: InvokeSettings) {
  return async function invoke(shard: string, records: readonly PolledRecord[]): Promise<Outcome> {
    try {
      const { FunctionError, Payload } = await settings.client.send(
        new InvokeCommand({
          FunctionName: settings.functionName,
          Payload: Buffer.from(JSON.stringify(kinesisEvent(settings, shard, records))),
        }),
      )
      const answer = Payload === undefined ? '' : Buffer.from(Payload).toString('utf8')
      if (FunctionError !== undefined) return { kind: 'failed', reason: `${FunctionError}: ${answer}` }
      return { kind: 'answered', answer: answer === '' ? null : JSON.parse(answer) }
    } catch (error) {
      return { kind: 'refused', reason: String(error) }
    }
  }
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html, Example event. */
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
