import { type Cors, UpdateApiCommand } from '@aws-sdk/client-apigatewayv2'
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import { GetDistributionConfigCommand, UpdateDistributionCommand } from '@aws-sdk/client-cloudfront'
import type { AwsClients } from './aws.ts'
import type { Stack } from './stack.ts'

/**
 * Where the emulator differs from AWS in what it made of the template, put right from outside. Call it after each
 * deployment; the app is not touched, and what is put right here is not shown by the rehearsal.
 */
export async function correctEmulator(aws: AwsClients, stack: Stack, port: number): Promise<void> {
  await keepCors(aws, stack)
  await leadToApi(aws, stack, port)
}

/**
 * Its CloudFormation keeps the API's CORS settings in the template's spelling, its gateway reads them in that of the API:
 * every preflight would be refused. So the template's settings are given by the API.
 */
async function keepCors({ apiGateway, cloudFormation }: AwsClients, { apiId, name }: Stack): Promise<void> {
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName: name }))
  const { Resources } = JSON.parse(TemplateBody) as { Resources: Record<string, TemplateResource> }
  const api = Object.values(Resources).find(({ Type }) => Type === 'AWS::ApiGatewayV2::Api')
  await apiGateway.send(
    new UpdateApiCommand({ ApiId: apiId, CorsConfiguration: api?.Properties.CorsConfiguration }),
  )
}

type TemplateResource = { Type: string; Properties: { CorsConfiguration?: Cors } }

/** Its CloudFront calls no address of amazonaws.com, not even that of its own API, which answers under this path. */
async function leadToApi({ cloudFront }: AwsClients, stack: Stack, port: number): Promise<void> {
  const Id = stack.distributionId
  const { DistributionConfig, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
  const [origin, ...others] = DistributionConfig?.Origins?.Items ?? []
  if (DistributionConfig === undefined || origin === undefined || others.length > 0) {
    throw new Error('the distribution has not one origin')
  }
  origin.DomainName = 'localhost'
  origin.OriginPath = `/_aws/execute-api/${stack.apiId}/$default`
  origin.CustomOriginConfig = {
    ...origin.CustomOriginConfig,
    HTTPPort: port,
    HTTPSPort: 443,
    OriginProtocolPolicy: 'http-only',
  }
  await cloudFront.send(new UpdateDistributionCommand({ Id, IfMatch: ETag, DistributionConfig }))
}
