import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation'
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda'
import type { FunctionName } from '#schemas/functions'
import type { AwsClients } from './aws.ts'
import type { Outputs } from './cdk.ts'

/** What was deployed, by its names on AWS. */
export type Stack = {
  name: string
  baseUrl: string
  /** The command that makes the owner, as the deployment prints it. */
  makeOwner: string
  bucket: string
  table: string
  stream: string
  apiId: string
  distributionId: string
  queueUrls: string[]
  functions: Record<FunctionName, { name: string; role: string; logGroup: string }>
}

/** Looks the deployed stack up; `stackName` is the app's default. */
export async function readStack(aws: AwsClients, outputs: Outputs, stackName: string): Promise<Stack> {
  const { StackResources = [] } = await aws.cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName: stackName }),
  )
  const ids = (type: string) =>
    StackResources.filter(({ ResourceType }) => ResourceType === type).map(
      ({ PhysicalResourceId = '' }) => PhysicalResourceId,
    )
  const only = (type: string) => {
    const [id, ...others] = ids(type)
    if (id === undefined || others.length > 0) throw new Error(`not one ${type} but ${others.length + 1}`)
    return id
  }
  const functions = await Promise.all(
    ids('AWS::Lambda::Function').map(async FunctionName => {
      const found = await aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))
      const service = found.Environment?.Variables?.POWERTOOLS_SERVICE_NAME
      const logGroup = found.LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`
      return [service, { name: FunctionName, role: found.Role ?? '', logGroup }] as const
    }),
  )
  return {
    name: stackName,
    baseUrl: output(outputs, 'BaseUrl'),
    makeOwner: output(outputs, 'MakeOwner'),
    bucket: output(outputs, 'BucketName'),
    table: output(outputs, 'TableName'),
    stream: output(outputs, 'StreamName'),
    apiId: only('AWS::ApiGatewayV2::Api'),
    distributionId: only('AWS::CloudFront::Distribution'),
    queueUrls: ids('AWS::SQS::Queue'),
    functions: Object.fromEntries(functions) as Stack['functions'],
  }
}

function output(outputs: Outputs, name: string): string {
  const value = outputs[name]
  if (value === undefined) throw new Error(`the deployment prints no ${name}`)
  return value
}
