import { type Cors, UpdateApiCommand } from '@aws-sdk/client-apigatewayv2'
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import { GetDistributionConfigCommand, UpdateDistributionCommand } from '@aws-sdk/client-cloudfront'
import type { AwsClients } from './aws.ts'
import { REGION } from './cdk.ts'
import { runPython } from './ministack.ts'
import { lengthenTimeouts } from './patience.ts'
import type { Stack } from './stack.ts'

/**
 * Corrects resources that the emulator creates differently from AWS. Call it after each deployment. The app
 * itself stays unchanged. The rehearsal does not test the settings that are corrected here (known-gaps.ts).
 */
export async function correctEmulator(
  aws: AwsClients,
  stack: Stack,
  { port, patience }: { port: number; patience: number },
): Promise<void> {
  await restoreCors(aws, stack)
  await pointOriginToApi(aws, stack, port)
  await lengthenTimeouts(aws, stack, patience)
  await runPython(NAME_SECRETS_BY_ARN, [`http://127.0.0.1:${port}`, REGION])
  await runPython(WITHOUT_PUNCTUATION, [`http://127.0.0.1:${port}`, REGION])
}

/**
 * Makes the key of the e-mail index of letters and digits alone, as the template wants it: the emulator
 * ignores `excludePunctuation`. A key that was corrected stays.
 */
const WITHOUT_PUNCTUATION = `
import boto3, re, sys
secrets = boto3.client('secretsmanager', endpoint_url=sys.argv[1], region_name=sys.argv[2], aws_access_key_id='test', aws_secret_access_key='test')
for each in secrets.list_secrets()['SecretList']:
    text = secrets.get_secret_value(SecretId=each['ARN'])['SecretString']
    wanted = re.sub('[^0-9A-Za-z]', '0', text)
    if wanted != text:
        secrets.put_secret_value(SecretId=each['ARN'], SecretString=wanted)
        print(each['Name'])
`

/**
 * Names secrets in the policies of roles by their ARNs. `Ref` of a secret is its ARN on AWS, but the emulator
 * makes its name of it, and then refuses the secret to the functions. The SDK's client of IAM is no
 * dependency, and the emulator brings Python's.
 */
const NAME_SECRETS_BY_ARN = `
import boto3, json, sys
options = dict(endpoint_url=sys.argv[1], region_name=sys.argv[2], aws_access_key_id='test', aws_secret_access_key='test')
arns = {each['Name']: each['ARN'] for each in boto3.client('secretsmanager', **options).list_secrets()['SecretList']}
iam = boto3.client('iam', **options)
for role in iam.list_roles()['Roles']:
    name = role['RoleName']
    for policy in iam.list_role_policies(RoleName=name)['PolicyNames']:
        document = iam.get_role_policy(RoleName=name, PolicyName=policy)['PolicyDocument']
        changed = False
        for statement in document['Statement']:
            resources = statement['Resource'] if isinstance(statement['Resource'], list) else [statement['Resource']]
            if any(each in arns for each in resources):
                statement['Resource'] = [arns.get(each, each) for each in resources]
                changed = True
        if changed:
            iam.put_role_policy(RoleName=name, PolicyName=policy, PolicyDocument=json.dumps(document))
            print(name)
`

/**
 * Sets the CORS settings of the template again, through the API. The emulator's CloudFormation stores them
 * with the property names of the template, but its gateway expects those of the API, and would refuse every
 * preflight request.
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

/**
 * Points CloudFront to the emulator's own address of the API, because the emulator cannot call amazonaws.com.
 */
async function pointOriginToApi({ cloudFront }: AwsClients, stack: Stack, port: number): Promise<void> {
  const Id = stack.distributionId
  const { DistributionConfig, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
  // The other origin is the URL of the streaming function. `localhost` is the origin of an earlier
  // correction.
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
