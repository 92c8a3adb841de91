import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation'
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda'
import type { FunctionName } from '#schemas/functions'
import type { AwsClients } from './aws.ts'
import type { Outputs } from './cdk.ts'

/** The deployed resources, by their names on AWS. */
export type Stack = {
  name: string
  baseUrl: string
  /** The command that creates the owner, from the outputs of the deployment. */
  makeOwner: string
  bucket: string
  table: string
  stream: string
  apiId: string
  distributionId: string
  /** What CloudFront sends to the functions. */
  edgeKey: string
  queueUrls: string[]
  functions: Record<FunctionName, { name: string; role: string; logGroup: string; timeoutSeconds: number }>
}

/** Reads the deployed stack. */
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
    if (id === undefined || others.length > 0) throw new Error(`The stack must have exactly one ${type}.`)
    return id
  }
  const functions = await Promise.all(
    ids('AWS::Lambda::Function').map(async FunctionName => {
      const configuration = await aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))
      const service = configuration.Environment?.Variables?.POWERTOOLS_SERVICE_NAME
      const logGroup = configuration.LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`
      const edgeKey = configuration.Environment?.Variables?.EDGE_KEY ?? ''
      const { Role: role = '', Timeout: timeoutSeconds = 0 } = configuration
      return [service, { name: FunctionName, role, logGroup, timeoutSeconds, edgeKey }] as const
    }),
  )
  return {
    name: stackName,
    baseUrl: readOutput(outputs, 'BaseUrl'),
    makeOwner: readOutput(outputs, 'MakeOwner'),
    bucket: readOutput(outputs, 'BucketName'),
    table: readOutput(outputs, 'TableName'),
    stream: readOutput(outputs, 'StreamName'),
    apiId: only('AWS::ApiGatewayV2::Api'),
    distributionId: only('AWS::CloudFront::Distribution'),
    edgeKey: functions.find(([service]) => service === 'site')?.[1].edgeKey ?? '',
    queueUrls: ids('AWS::SQS::Queue'),
    functions: Object.fromEntries(functions) as Stack['functions'],
  }
}

function readOutput(outputs: Outputs, name: string): string {
  const value = outputs[name]
  if (value === undefined) throw new Error(`The deployment has no output ${name}.`)
  return value
}
