import { ApiGatewayV2Client } from '@aws-sdk/client-apigatewayv2'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { createDynamoClient, createKinesisClient, createS3Client, createSqsClient } from '#aws/clients'
import { REGION } from './cdk.ts'

/** The SDK's clients as the deployer has them: with all rights, straight to the emulator. */
export function awsClients(endpoint: string) {
  const at = { endpoint, region: REGION, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }
  return {
    apiGateway: new ApiGatewayV2Client(at),
    cloudFormation: new CloudFormationClient(at),
    cloudFront: new CloudFrontClient(at),
    logs: new CloudWatchLogsClient(at),
    // A function of a poller may take minutes; a repeated call would run it a second time beside the first.
    lambda: new LambdaClient({ ...at, maxAttempts: 1 }),
    kinesis: createKinesisClient(at),
    s3: createS3Client(at),
    sqs: createSqsClient(at),
    dynamo: createDynamoClient(at),
  }
}

export type AwsClients = ReturnType<typeof awsClients>
