import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Alias } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'
import type { ServiceFunction } from './function.ts'

/**
 * The option `rollout=canary`: a new version of a function first gets a tenth of the calls, for ten minutes.
 * An alarm in that time gives all calls back to the old version, and fails the deployment.
 */
export class Rollout extends Construct {
  /** What the callers of the function call. */
  readonly alias: Alias

  constructor(scope: Construct, id: string, { lambda }: ServiceFunction) {
    super(scope, id)
    this.alias = new Alias(this, 'Alias', { aliasName: 'live', version: lambda.currentVersion })
  }

  /** Ends a rollout when one of the alarms sounds. The alarms need the API, and the API needs the alias. */
  watch(alarms: Alarm[]): void {
    const group = new LambdaDeploymentGroup(this, 'Group', {
      alias: this.alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES,
      alarms,
    })
    acceptFindings(group, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        "AWS's own policy for CodeDeploy changes with its service, and allows it to shift the calls of a function.",
    })
  }
}
