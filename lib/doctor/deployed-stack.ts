import {
  type CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation'
import { GetFunctionConfigurationCommand, type LambdaClient } from '@aws-sdk/client-lambda'

/** The deployed resources that the doctor looks at, by their names on AWS. */
export type DeployedStack = {
  region: string
  baseUrl: string
  /** The address of the API itself, without CloudFront; null when it is that of the service. */
  apiUrl: string | null
  /** Address of GET /stream; null without streams. */
  streamUrl: string | null
  workGroup: string
  database: string
  bucket: string
  logGroups: string[]
  /** Topics that the alarms tell; none: nobody gets them. */
  alarmTopics: string[]
}

/** The start of the logical id of the address that streams. Another one may take events. */
const STREAM_URL = 'Streaming'

type Template = { Resources: Record<string, { Type: string; Properties?: { AlarmActions?: unknown[] } }> }

/** Reads what a stack has. Throws if it is no stack of the service. */
export async function readDeployedStack(
  { cloudFormation, lambda }: { cloudFormation: CloudFormationClient; lambda: LambdaClient },
  StackName: string,
): Promise<DeployedStack> {
  const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }))
  const output = (name: string) => stack?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
  const baseUrl = output('BaseUrl')
  const bucket = output('BucketName')
  if (baseUrl === undefined || bucket === undefined)
    throw new Error(`The stack ${StackName} has no output BaseUrl. Name the stack of the service.`)

  const resources: StackResourceSummary[] = []
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client: cloudFormation },
    { StackName },
  ))
    resources.push(...StackResourceSummaries)
  const ofType = (type: string) =>
    resources
      .filter(({ ResourceType }) => ResourceType === type)
      .map(({ PhysicalResourceId = '' }) => PhysicalResourceId)
  const functions = await Promise.all(
    ofType('AWS::Lambda::Function').map(FunctionName =>
      lambda.send(new GetFunctionConfigurationCommand({ FunctionName })),
    ),
  )
  const settings = Object.assign({}, ...functions.map(({ Environment }) => Environment?.Variables ?? {}))
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName }))
  const region = stack?.StackId?.split(':')[3] ?? ''
  const [api = ''] = ofType('AWS::ApiGatewayV2::Api')
  const isBehindEdge = ofType('AWS::CloudFront::Distribution').length > 0
  const hasStreams = resources.some(
    ({ LogicalResourceId = '', ResourceType }) =>
      ResourceType === 'AWS::Lambda::Url' && LogicalResourceId.startsWith(STREAM_URL),
  )
  return {
    region,
    baseUrl,
    apiUrl: isBehindEdge ? `https://${api}.execute-api.${region}.amazonaws.com` : null,
    streamUrl: hasStreams ? (output('StreamUrl') ?? `${baseUrl}/stream`) : null,
    workGroup: settings.ATHENA_WORKGROUP ?? '',
    database: settings.GLUE_DATABASE ?? '',
    bucket,
    logGroups: functions.map(
      ({ LoggingConfig, FunctionName }) => LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`,
    ),
    alarmTopics: topicsOf(JSON.parse(TemplateBody) as Template, resources),
  }
}

/** The ARNs of the topics in the actions of alarms. A topic of the stack stands there by its logical id. */
function topicsOf(
  { Resources = {} }: Partial<Template>,
  resources: readonly StackResourceSummary[],
): string[] {
  const arns = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .flatMap(({ Properties }) => Properties?.AlarmActions ?? [])
    .map(action =>
      typeof action === 'string'
        ? action
        : resources.find(({ LogicalResourceId }) => LogicalResourceId === (action as { Ref?: string }).Ref)
            ?.PhysicalResourceId,
    )
  return [...new Set(arns.filter(arn => arn !== undefined))]
}
