import { CfnOutput, type Stack } from 'aws-cdk-lib'
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda'
import type { Edge } from './edge.ts'
import type { ServiceFunction } from './function.ts'
import type { Storage } from './storage.ts'
import type { EventStream } from './stream.ts'

export type OutputSources = {
  baseUrl: string
  /** null without CloudFront. */
  edge: Edge | null
  /** null without streams. */
  streamUrl: FunctionUrl | null
  owner: ServiceFunction
  restore: ServiceFunction
  storage: Storage
  events: EventStream
}

/** The outputs of the stack, which `cdk deploy` prints and the commands of docs/aws.md read. */
export function createOutputs(
  stack: Stack,
  { baseUrl, edge, streamUrl, owner, restore, storage, events }: OutputSources,
): void {
  const add = (name: string, value: string, description: string) =>
    new CfnOutput(stack, name, { value, description })
  const invoke = `aws lambda invoke --region ${stack.region} --function-name`

  add('BaseUrl', baseUrl, 'Address of the service')
  if (edge === null) {
    if (streamUrl !== null) add('StreamUrl', `${streamUrl.url}stream`, 'Address of GET /stream')
  } else {
    const { distributionDomainName } = edge.distribution
    add('CloudFrontName', distributionDomainName, 'Target of the DNS record of a custom domain')
  }
  add(
    'MakeOwner',
    `${invoke} ${owner.lambda.functionName} /dev/stdout`,
    "Creates the owner's account, an API key and a first project, and prints them with a link that signs you in once. Nothing else shows the key",
  )
  // A call takes up to 15 minutes. A second try of the command would call it twice.
  add(
    'RestoreLake',
    `AWS_MAX_ATTEMPTS=1 ${invoke} ${restore.lambda.functionName} --cli-read-timeout 920 /dev/stdout`,
    'Makes table and lake agree after one of them was restored, and prints what it found. See docs/aws.md first',
  )
  add('BucketName', storage.bucket.bucketName, 'S3 bucket of the lake')
  add('TableName', storage.table.tableName, 'State table')
  add('StreamName', events.stream.streamName, 'Event stream')
}
