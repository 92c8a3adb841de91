import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { Schedule } from 'aws-cdk-lib/aws-events'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import { acceptFindings } from './accept-findings.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'

/** The policy of AWS Backup for the role that makes backups. */
const POLICY = 'service-role/AWSBackupServiceRolePolicyForBackup'

/**
 * A backup of the state table every night, beside point-in-time recovery: that ends with the table, and with
 * the region. The vault stays when the stack is deleted, because AWS deletes no vault that has backups.
 */
export class TableBackup extends Construct {
  constructor(scope: Construct, id: string, table: Table, config: Config) {
    super(scope, id)
    const { backupDays, backupVaultArn } = config
    const encryptionKey = dataKey(this, config)
    const vault = new BackupVault(this, 'Vault', {
      ...(encryptionKey && { encryptionKey }),
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    const deleteAfter = Duration.days(backupDays ?? 0)
    const plan = new BackupPlan(this, 'Plan', { backupVault: vault })
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'nightly',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter,
        ...(backupVaultArn !== undefined && {
          copyActions: [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'Copies', backupVaultArn),
              deleteAfter,
            },
          ],
        }),
      }),
    )
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(POLICY)],
    })
    plan.addSelection('Table', {
      role,
      disableDefaultBackupPolicy: true,
      resources: [BackupResource.fromDynamoDbTable(table)],
    })
    acceptFindings(role, {
      [`AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${POLICY}]`]:
        'The policy of AWS Backup itself, which AWS extends when a backup needs another right. Only AWS Backup can take the role.',
    })
  }
}
