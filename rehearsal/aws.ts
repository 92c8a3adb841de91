import { ApiGatewayV2Client } from '@aws-sdk/client-apigatewayv2'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudFrontClient } from '@aws-sdk/client-cloudfront'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { createDynamoClient, createKinesisClient, createS3Client, createSqsClient } from '#aws/clients'
import { REGION } from './cdk.ts'

/** The emulator takes any credentials that are not of a function for those of a deployer. */
export const DEPLOYER = {
  region: REGION,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
} as const

/** Creates SDK clients for the emulator, with all rights, as a deployer has them. */
export function createAwsClients(endpoint: string) {
  const config = { ...DEPLOYER, endpoint }
  return {
    apiGateway: new ApiGatewayV2Client(config),
    cloudFormation: new CloudFormationClient(config),
    cloudFront: new CloudFrontClient(config),
    logs: new CloudWatchLogsClient(config),
    // No retries: a function may run for minutes, and a repeated call would start it a second time.
    lambda: new LambdaClient({ ...config, maxAttempts: 1 }),
    // The adapter of the service retries by itself. The poller and the checks do not.
    kinesis: createKinesisClient({ ...config, maxAttempts: 5 }),
    s3: createS3Client(config),
    sqs: createSqsClient(config),
    dynamo: createDynamoClient(config),
  }
}

export type AwsClients = ReturnType<typeof createAwsClients>
