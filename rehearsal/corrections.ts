import { type Cors, UpdateApiCommand } from '@aws-sdk/client-apigatewayv2'
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import { GetDistributionConfigCommand, UpdateDistributionCommand } from '@aws-sdk/client-cloudfront'
import type { AwsClients } from './aws.ts'
import type { Stack } from './stack.ts'

/**
 * Corrects resources that the emulator creates differently from AWS. Call it after each deployment. The app itself stays
 * unchanged. The rehearsal does not test the settings that are corrected here (known-gaps.ts).
 */
export async function correctEmulator(aws: AwsClients, stack: Stack, port: number): Promise<void> {
  await restoreCors(aws, stack)
  await pointOriginToApi(aws, stack, port)
}

/**
 * Sets the CORS settings of the template again, through the API. The emulator's CloudFormation stores them with the property
 * names of the template, but its gateway expects those of the API, and would refuse every preflight request.
 */
async function restoreCors(
  { apiGateway, cloudFormation }: AwsClients,
  { apiId, name }: Stack,
): Promise<void> {
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName: name }))
  const { Resources } = JSON.parse(TemplateBody) as { Resources: Record<string, TemplateResource> }
  const api = Object.values(Resources).find(({ Type }) => Type === 'AWS::ApiGatewayV2::Api')
  await apiGateway.send(
    new UpdateApiCommand({ ApiId: apiId, CorsConfiguration: api?.Properties.CorsConfiguration }),
  )
}

type TemplateResource = { Type: string; Properties: { CorsConfiguration?: Cors } }

/** Points CloudFront to the emulator's own address of the API, because the emulator cannot call amazonaws.com. */
async function pointOriginToApi({ cloudFront }: AwsClients, stack: Stack, port: number): Promise<void> {
  const Id = stack.distributionId
  const { DistributionConfig, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
  // The other origin is the URL of the streaming function. `localhost` is the origin of an earlier correction.
  const [origin, ...others] = (DistributionConfig?.Origins?.Items ?? []).filter(({ DomainName = '' }) =>
    /\.execute-api\.|^localhost$/.test(DomainName),
  )
  if (DistributionConfig === undefined || origin === undefined || others.length > 0) {
    throw new Error('The distribution must have exactly one origin for the API.')
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
